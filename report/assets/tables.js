// Tables: sorted by a click on a title, filtered with the page, long ones folded.
"use strict";

const FOLDED_ROWS = 12;

// What a column adds nothing by is left out: empty in every row, or a filter with one value in the whole report.
function usefulColumns(table, constant) {
  const useful = table.columns.map((column, i) =>
    !constant.has(column.key) && (!table.rows.length || table.rows.some((row) => row[i] !== null && row[i] !== "")));
  if (!useful.includes(true)) return table;
  const kept = (cells) => cells.filter((_, i) => useful[i]);
  return {...table, columns: kept(table.columns), rows: table.rows.map(kept)};
}

// A digest: its beginning, and the rest on a click.
function digest(value) {
  return el("details", {class: "digest"}, el("summary", {title: value}, value.slice(0, 12) + "…"), value);
}

function tableView(whole, keys, constant) {
  const table = usefulColumns(whole, constant);
  const tags = tableTags(whole, keys);
  let order = table.rows.map((_, i) => i);
  const body = el("tbody", {});
  const numeric = (column) => column.kind === "integer" || column.kind === "number";
  const collator = new Intl.Collator("en", {numeric: true});
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a ?? ""), String(b ?? "")));

  const heads = table.columns.map((column, i) => {
    const head = el("th", {scope: "col", class: numeric(column) ? "num" : null},
      el("button", {type: "button", onclick: () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        order = table.rows.map((_, row) => row).sort((a, b) => (rising ? 1 : -1) * compare(table.rows[a][i], table.rows[b][i]));
        fill();
      }}, column.unit ? `${column.title} (${column.unit})` : column.title));
    return head;
  });

  const cell = (value, column) => {
    if (column.kind === "code" && /^[0-9a-f]{32,}$/.test(value)) return el("td", {class: "code"}, digest(value));
    const text = typeof value === "boolean" ? (value ? "yes" : "no") : numeric(column) ? number(value) : String(value ?? "");
    const width = text.length <= 34 ? "short" : "long";
    const kind = numeric(column) ? "num" : column.kind === "code" ? "code " + width : width;
    return el("td", {class: kind, title: typeof value === "number" && !Number.isInteger(value) ? String(value) : null}, text);
  };

  const unfold = el("button", {type: "button", class: "all", onclick: () => {
    view.classList.toggle("open");
    fill();
  }});
  const none = el("p", {class: "empty"}, "No rows under these filters.");
  const view = el("div", {class: "table"},
    el("h3", {}, table.caption, table.badge ? el("span", {class: "badge"}, table.badge) : null),
    table.note ? el("p", {class: "note"}, inline(table.note)) : null,
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": table.caption},
      el("table", {}, el("thead", {}, el("tr", {}, heads)), body), none),
    unfold);

  function fill() {
    const shown = order.filter((row) => filters.match(tags[row]));
    const fold = shown.length > FOLDED_ROWS + 3;
    body.replaceChildren(...shown.map((row, i) => el("tr", {class: fold && i >= FOLDED_ROWS ? "more" : null},
      table.rows[row].map((value, c) => cell(value, table.columns[c])))));
    none.hidden = shown.length > 0;
    unfold.hidden = !fold;
    unfold.textContent = view.classList.contains("open") ? "Show fewer rows" : `Show all ${number(shown.length)} rows`;
  }
  filters.onChange(fill);
  return view;
}
