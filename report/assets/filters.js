// The filters of the page: which values are chosen, and who wants to hear of a change.
"use strict";

const filters = {
  chosen: {},  // key -> value; a key without a choice is not there
  listeners: [],

  // Whether something with these tags shows. What lacks a tag is not asked for it.
  match(tags) {
    return Object.entries(this.chosen).every(([key, value]) => !tags || tags[key] === undefined || tags[key] === value);
  },
  choose(key, value) {
    if (value === "") delete this.chosen[key];
    else this.chosen[key] = value;
    for (const listener of this.listeners) listener();
  },
  onChange(listener) {
    this.listeners.push(listener);
    listener();
  },
};

// Every tag set in the document: of charts, their groups and bars, and of table rows whose columns are filters.
function allTags(doc) {
  const keys = (doc.filters || []).map((f) => f.key);
  const found = [];
  for (const section of doc.sections) {
    for (const chart of section.charts || []) {
      found.push(chart.tags, ...(chart.groups || chart.bars || []).map((part) => part.tags));
    }
    for (const table of section.tables || []) found.push(...tableTags(table, keys));
  }
  return found.filter((tags) => tags && keys.some((key) => tags[key] !== undefined));
}

// Per row of a table: the values of the columns that are filters, as tags.
function tableTags(table, keys) {
  const columns = table.columns.map((c, i) => [c.key, i]).filter(([key]) => keys.includes(key));
  return table.rows.map((row) => {
    const tags = {};
    for (const [key, i] of columns) if (row[i] !== null && row[i] !== "") tags[key] = String(row[i]);
    return tags;
  });
}

// One select per filter. A select offers what is left under the choices of the others.
function filterBar(doc) {
  if (!(doc.filters || []).length) return null;
  const tags = allTags(doc);
  const offered = doc.filters.filter((filter) => new Set(tags.map((t) => t[filter.key]).filter((v) => v !== undefined)).size > 1);
  if (!offered.length) return null;
  const bar = el("form", {class: "filters", "aria-label": "Filters", onsubmit: (e) => e.preventDefault()});
  const order = new Intl.Collator("en", {numeric: true});
  const fill = () => {
    const active = document.activeElement && document.activeElement.dataset.filter;
    bar.replaceChildren(...offered.map((filter) => {
      const others = Object.entries(filters.chosen).filter(([key]) => key !== filter.key);
      const left = tags.filter((t) => t[filter.key] !== undefined && others.every(([k, v]) => t[k] === undefined || t[k] === v));
      const values = [...new Set(left.map((t) => t[filter.key]))].sort(order.compare);
      const chosen = filters.chosen[filter.key];
      if (chosen !== undefined && !values.includes(chosen)) values.unshift(chosen);
      const label = select(filter.title, [{value: "", text: "all (" + values.length + ")"}, ...values.map((v) => ({value: v, text: v}))],
        chosen === undefined ? "" : chosen, (value) => filters.choose(filter.key, value));
      label.querySelector("select").dataset.filter = filter.key;
      return label;
    }), el("button", {type: "button", class: "reset", onclick: () => {
      filters.chosen = {};
      filters.choose("", "");
    }}, "Show all"), el("span", {class: "shown", role: "status"}));
    const again = active && bar.querySelector(`[data-filter="${active}"]`);
    if (again) again.focus();
  };
  filters.onChange(fill);
  return bar;
}
