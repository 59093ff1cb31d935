// How numbers look, everywhere on the page.
"use strict";

const BINARY = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];

// 1160 as "1,160"; 9.88461 as "9.885": four significant digits, whole numbers in full.
function number(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size >= 1000) return value.toLocaleString("en-US", {maximumFractionDigits: 0});
  if (size < 1e-4) return value.toPrecision(3);
  return String(Number(value.toPrecision(4)));
}

function bytes(value) {
  for (const [size, name] of BINARY) if (value >= size) return number(value / size) + " " + name;
  return number(value) + " B";
}

function withUnit(value, unit) {
  if (typeof value !== "number") return number(value);
  if (unit === "B") return bytes(value);
  return unit ? number(value) + " " + unit : number(value);
}

// On an axis there is less room: 2500000 as "2.5M". The unit stands in the axis's title.
function tick(value, unit) {
  if (unit === "B") return bytes(value);
  const size = Math.abs(value);
  if (size >= 1e9) return number(value / 1e9) + "G";
  if (size >= 1e6) return number(value / 1e6) + "M";
  if (size >= 1e5 && value % 1000 === 0) return number(value / 1e3) + "k";
  return number(value);
}

function axisTitle(axis) {
  return axis.unit && axis.unit !== "B" ? axis.title + " (" + axis.unit + ")" : axis.title;
}
