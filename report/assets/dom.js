// Making elements, and what all of them share: the theme's colours, and the one tooltip.
"use strict";

// el("p", {class: "note"}, "text", child, …); children that are null are left out. Text is never read as HTML.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}

// A paragraph's text, with `words between backticks` as code.
function inline(text) {
  return text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
}

function select(title, choices, value, onchange) {
  const list = el("select", {onchange: () => onchange(list.value)},
    choices.map((c) => el("option", {value: c.value, selected: String(c.value) === String(value)}, c.text)));
  return el("label", {}, title, list);
}

function checkbox(title, checked, onchange) {
  const box = el("input", {type: "checkbox", checked, onchange: () => onchange(box.checked)});
  return el("label", {class: "check"}, box, title);
}

// A colour of report.css as it is now: light, dark, or light because the page is being printed.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function seriesColour(index) {
  return colour("series-" + (index % 8));
}

const tooltip = {
  node: null,
  show(text, x, y) {
    if (!this.node) {
      this.node = el("div", {class: "tooltip", role: "status", "aria-live": "polite"});
      document.body.append(this.node);
    }
    this.node.textContent = text;
    this.node.hidden = false;
    const box = this.node.getBoundingClientRect();
    const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
    const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
    this.node.style.left = Math.max(4, left) + "px";
    this.node.style.top = Math.max(4, top) + "px";
  },
  hide() {
    if (this.node) this.node.hidden = true;
  },
};
