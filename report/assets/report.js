// Builds the page from the document, and keeps the charts in step with theme, size, filters and printing.
"use strict";

const CHARTS = {density_map: densityMap, latency_curve: latencyCurve, scatter: scatterChart, error_distribution: errorDistribution, bars: barsChart};
const live = new Map();  // host -> the chart drawn in it

// A chart in its card. It is drawn when it comes near the screen, or to be printed.
function chartCard(chart) {
  const host = el("div", {class: "plot"});
  const controls = el("div", {class: "controls"});
  const card = el("figure", {class: "card", style: "margin:0", "data-type": chart.type},
    el("h3", {}, chart.title, chart.badge ? el("span", {class: "badge"}, chart.badge) : null),
    chart.note ? el("p", {class: "note"}, inline(chart.note)) : null, controls, host);
  card.draw = () => {
    if (card.dataset.drawn !== undefined || card.hidden) return;
    card.dataset.drawn = "";
    const drawn = CHARTS[chart.type](chart, host, controls);
    if (!drawn) return;  // plain elements need no redrawing
    live.set(host, drawn);
    widths.observe(host);
  };
  filters.onChange(() => {
    card.hidden = !filters.match(chart.tags);
  });
  near.observe(card);
  return card;
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) entry.target.draw();
}, {rootMargin: "500px"});

const widths = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const width = Math.floor(entry.contentRect.width);
    if (width > 0 && width !== entry.target.lastWidth && !isPrinting()) {
      entry.target.lastWidth = width;
      live.get(entry.target).resize();
    }
  }
});

function factsView(section) {
  const value = (fact) => {
    const text = typeof fact.value === "number" ? number(fact.value) : String(fact.value ?? "");
    const code = /^[0-9a-f]{16,}$/.test(text) ? "code" : null;
    return el("dd", {class: section.tiles && text.length > 14 ? "long" : code}, text, fact.unit ? el("small", {}, " " + fact.unit) : null);
  };
  if (section.tiles) return el("dl", {class: "tiles"}, section.facts.map((fact) => el("div", {}, el("dt", {}, fact.name), value(fact))));
  return el("dl", {class: "facts"}, section.facts.flatMap((fact) => [el("dt", {}, fact.name), value(fact)]));
}

function sectionView(section, id, keys, constant) {
  const charts = (section.charts || []).map(chartCard);
  const none = el("p", {class: "empty", hidden: true}, "No charts under these filters.");
  if (charts.length) {
    filters.onChange(() => {
      const shown = charts.filter((card) => !card.hidden);
      none.hidden = shown.length > 0;
      charts.forEach((card) => card.classList.toggle("wide", shown.length === 1));
    });
  }
  return el("section", {id, "aria-labelledby": id + "-heading"},
    el("h2", {id: id + "-heading"}, section.heading),
    (section.text || []).map((paragraph) => el("p", {}, inline(paragraph))),
    (section.list || []).length ? el("ul", {}, section.list.map((item) => el("li", {}, inline(item)))) : null,
    (section.facts || []).length ? factsView(section) : null,
    charts.length ? el("div", {class: "charts"}, charts) : null, none,
    (section.tables || []).map((table) => tableView(table, keys, constant)));
}

function drawAll() {
  for (const card of document.querySelectorAll(".card")) card.draw();
}

function redrawAll() {
  for (const chart of live.values()) chart.redraw();
}

function buildPage(doc) {
  const keys = (doc.filters || []).map((filter) => filter.key);
  const tags = allTags(doc);
  const constant = new Set(keys.filter((key) => new Set(tags.map((t) => t[key]).filter((v) => v !== undefined)).size === 1));
  const ids = doc.sections.map((_, i) => "section-" + (i + 1));
  document.getElementById("page").append(...[
    el("header", {}, el("h1", {}, doc.title), doc.subtitle ? el("p", {class: "subtitle"}, inline(doc.subtitle)) : null,
      (doc.notices || []).map((notice) => el("p", {class: "notice " + notice.kind, role: "note"}, el("b", {}, notice.kind), inline(notice.text))),
      el("nav", {"aria-label": "Sections"}, el("ul", {}, doc.sections.map((section, i) =>
        el("li", {}, el("a", {href: "#" + ids[i]}, section.heading)))))),
    filterBar(doc),
    el("main", {}, doc.sections.map((section, i) => sectionView(section, ids[i], keys, constant)))].filter(Boolean));
  filters.onChange(() => {
    const cards = [...document.querySelectorAll(".card")];
    const shown = cards.filter((card) => !card.hidden).length;
    for (const place of document.querySelectorAll(".filters .shown")) place.textContent = `${shown} of ${cards.length} charts shown`;
  });
}

buildPage(JSON.parse(document.getElementById("document").textContent));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
addEventListener("beforeprint", () => {
  document.documentElement.dataset.print = "";
  drawAll();
  redrawAll();
});
addEventListener("afterprint", () => {
  delete document.documentElement.dataset.print;
  redrawAll();
});
