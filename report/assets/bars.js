// Bars: amounts by name, longest first. Plain elements, so that names of any length can be read.
"use strict";

function barsChart(chart, host) {
  const fill = () => {
    const sums = new Map();
    for (const bar of chart.bars) {
      if (!filters.match(bar.tags)) continue;
      const sum = sums.get(bar.label) || {value: 0, tone: bar.tone};
      sum.value += bar.value;
      sums.set(bar.label, sum);
    }
    const rows = [...sums].sort((a, b) => b[1].value - a[1].value);
    const total = rows.reduce((all, [, sum]) => all + sum.value, 0);
    if (!rows.length || total <= 0) {
      host.replaceChildren(el("p", {class: "empty"}, "Nothing under these filters."));
      return;
    }
    const most = rows[0][1].value;
    host.replaceChildren(el("div", {class: "bars", role: "list"}, rows.map(([label, sum]) => {
      const share = number(Number(((100 * sum.value) / total).toPrecision(3))) + " %";
      const amount = withUnit(sum.value, chart.value.unit);
      return [el("span", {class: "label", role: "listitem", "aria-label": `${label}: ${amount}, ${share}`}, label),
        el("span", {class: "track", "aria-hidden": "true"},
          el("div", {class: "fill " + (sum.tone || ""), style: `width:${(100 * sum.value) / most}%`})),
        el("span", {class: "amount", "aria-hidden": "true"}, amount, " ", el("span", {class: "soft"}, `(${share})`))];
    })), el("p", {class: "note"}, `${axisTitle(chart.value)}: ${withUnit(total, chart.value.unit)} in all`));
  };
  host.classList.remove("plot");
  filters.onChange(fill);
}
