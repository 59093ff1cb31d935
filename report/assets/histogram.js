// Error distributions: a histogram over the groups that the filters leave.
"use strict";

function errorDistribution(chart, host) {
  const edges = chart.edges;
  const step = (edges[edges.length - 1] - edges[0]) / (edges.length - 1);
  // What lies outside the edges gets a bin of its own at either end.
  const outer = [edges[0] - step, ...edges, edges[edges.length - 1] + step];
  const legend = el("ul", {class: "legend"});
  let drawn = null;

  const draw = () => {
    const counts = new Array(edges.length + 1).fill(0);
    for (const group of chart.groups)
      if (filters.match(group.tags)) group.counts.forEach((count, i) => (counts[i] += count));
    const total = counts.reduce((a, b) => a + b, 0);
    if (drawn) drawn.destroy();
    drawn = null;
    legend.replaceChildren();
    if (!total) {
      host.replaceChildren(el("p", {class: "empty"}, "No samples under these filters."));
      return;
    }
    const used = counts.map((count, i) => [outer[i], outer[i + 1], count]).filter(([, , count]) => count > 0);
    const unit = chart.x.unit ? " " + chart.x.unit : "";
    const name = (i) => (i === 0 ? `below ${number(edges[0])}${unit}`
      : i === edges.length ? `${number(edges[i - 1])}${unit} and above`
        : `${number(edges[i - 1])} to ${number(edges[i])}${unit}`);
    const hover = counts.map((count, i) => ({x: (outer[i] + outer[i + 1]) / 2, y: count,
      text: `${name(i)}\n${number(count)} samples (${number(Number(((100 * count) / total).toPrecision(3)))} %)`}));
    const ends = (value) => (value < edges[0] - step / 4 || value > edges[edges.length - 1] + step / 4 ? "" : number(value));
    drawn = plot(host, {
      x: {...chart.x, min: outer[0], max: outer[outer.length - 1], values: (u, splits) => splits.map(ends)},
      y: {title: "samples", min: 0, max: Math.max(...counts) * 1.06},
      layers: [{kind: "rects", rects: used, fill: () => colour("bar")},
        ...(edges[0] < 0 ? [{kind: "line", points: [[0, 0], [0, Math.max(...counts) * 1.06]], stroke: () => colour("soft"), width: 1}] : [])],
      hover, hitColumns: true, label: `${chart.title}: histogram of ${total} samples.`});
    legend.replaceChildren(el("li", {}, `${number(total)} samples`),
      counts[0] ? el("li", {}, `leftmost bar: ${number(counts[0])} ${name(0)}`) : "",
      counts[edges.length] ? el("li", {}, `rightmost bar: ${number(counts[edges.length])} of ${name(edges.length)}`) : "");
  };
  host.after(legend);
  filters.onChange(draw);
  return {redraw: draw, resize: () => drawn && drawn.resize()};
}
