// One way of drawing for all charts with two axes: uPlot has the axes, scales, grid and zoom; layers of points,
// lines and rectangles are drawn on its canvas; points answer to the mouse, to touch and to the arrow keys.
"use strict";

const PLOT_HEIGHT = 290;
// On paper two charts stand side by side on A4, whatever the window was like.
const PRINT = {width: 312, wide: 650, height: 190};
const REACH = 22;  // how near to a point, in pixels, the mouse must be

// Whole powers of two or ten between the ends of a logarithmic axis, thinned to what there is room for.
function logTicks(min, max, base, most) {
  const from = Math.ceil(Math.log(min) / Math.log(base) - 1e-9);
  const to = Math.floor(Math.log(max) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((to - from + 1) / most));
  const ticks = [];
  for (let power = from; power <= to; power += step) ticks.push(base ** power);
  return ticks;
}

// Where powers are too few to read a logarithmic axis by, 1, 2 and 5 times powers of ten.
function axisTicks(axis, min, max, most) {
  const powers = logTicks(min, max, axis.base, most);
  if (powers.length >= 3) return powers;
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); ++power)
    for (const factor of [1, 1.5, 2, 3, 5, 7]) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
  const inside = ticks.filter((tick) => tick >= min && tick <= max);
  return inside.filter((_, i) => i % Math.max(1, Math.ceil(inside.length / most)) === 0);
}

// The values' range with some air; of one value, a range around it. `zero`: the axis starts there.
function paddedRange(values, log, zero) {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return log ? [1, 10] : [0, 1];
  if (log) return min === max ? [min / 2, max * 2] : [min * (min / max) ** 0.05, max * (max / min) ** 0.05];
  const air = max === min ? Math.abs(max) / 2 || 1 : (max - min) * 0.05;
  return [zero || (min >= 0 && min - air < 0) ? 0 : min - air, max + air];
}

function wantsLog(values, factor) {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return min > 0 && max / min >= factor;
}

// A line that is straight in plain coordinates is bent on a logarithmic axis: more points on each piece.
function bent(points, log) {
  if (!log) return points;
  const all = points.slice(0, 1);
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1];
    const [x1, y1] = points[i];
    for (let k = 1; k <= 16; ++k) all.push([x0 + ((x1 - x0) * k) / 16, y0 + ((y1 - y0) * k) / 16]);
  }
  return all;
}

const MARKS = ["circle", "square", "triangle", "diamond"];

function markPath(context, shape, x, y, r) {
  context.beginPath();
  if (shape === "square") context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
  else if (shape === "triangle") {
    context.moveTo(x, y - r * 1.2);
    context.lineTo(x + r * 1.1, y + r * 0.8);
    context.lineTo(x - r * 1.1, y + r * 0.8);
    context.closePath();
  } else if (shape === "diamond") {
    context.moveTo(x, y - r * 1.3);
    context.lineTo(x + r * 1.3, y);
    context.lineTo(x, y + r * 1.3);
    context.lineTo(x - r * 1.3, y);
    context.closePath();
  } else context.arc(x, y, r, 0, 2 * Math.PI);
}

// Layers: {kind: "points", points: [[x, y]], fill: i => colour, mark}, {kind: "line", points, stroke, width, dash,
// fill}, {kind: "rects", rects: [[x0, x1, y]], fill}. Colours are functions: they follow the theme.
function drawLayer(u, layer, log) {
  const context = u.ctx;
  const scale = devicePixelRatio;
  const at = (point) => [u.valToPos(point[0], "x", true), u.valToPos(point[1], "y", true)];
  context.save();
  context.beginPath();
  context.rect(u.bbox.left - 4 * scale, u.bbox.top - 4 * scale, u.bbox.width + 8 * scale, u.bbox.height + 8 * scale);
  context.clip();
  if (layer.kind === "points") {
    context.lineWidth = 0.8 * scale;
    context.strokeStyle = colour("card");
    layer.points.forEach((point, i) => {
      const [x, y] = at(point);
      markPath(context, layer.mark, x, y, (layer.radius || 4) * scale);
      context.fillStyle = layer.fill(i);
      context.fill();
      context.stroke();
    });
  } else if (layer.kind === "line") {
    context.beginPath();
    bent(layer.points, log).forEach((point, i) => (i ? context.lineTo(...at(point)) : context.moveTo(...at(point))));
    if (layer.fill) {
      context.globalAlpha = 0.1;
      context.fillStyle = layer.fill();
      context.fill();
      context.globalAlpha = 1;
    }
    context.setLineDash((layer.dash || []).map((length) => length * scale));
    context.lineWidth = (layer.width || 1.5) * scale;
    context.strokeStyle = layer.stroke();
    context.stroke();
  } else {
    for (const [x0, x1, y] of layer.rects) {
      const [left, top] = at([x0, y]);
      const [right, bottom] = at([x1, 0]);
      context.fillStyle = layer.fill();
      context.fillRect(left + 0.5 * scale, top, Math.max(scale, right - left - scale), bottom - top);
    }
  }
  context.restore();
}

function uplotAxis(axis, side, room) {
  const font = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
  const own = {
    side,
    stroke: () => colour("soft"),
    grid: {stroke: () => colour("grid"), width: 1},
    ticks: {stroke: () => colour("line"), width: 1, size: 5},
    font,
    labelFont: font,
    label: axisTitle(axis),
    labelSize: 20,
    labelGap: side === 3 ? 2 : 0,
    gap: 4,
    size: side === 3 ? 58 : 28,
    space: side === 3 ? 34 : 62,
    values: axis.values || ((u, splits) => splits.map((value) => tick(value, axis.unit))),
  };
  if (axis.log) {
    own.splits = (u, i, min, max) => axisTicks(axis, min, max, Math.max(2, Math.floor(room / own.space)));
    own.filter = (u, splits) => splits;
  }
  return own;
}

function isPrinting() {
  return document.documentElement.dataset.print !== undefined;
}

function plotSize(host) {
  if (!isPrinting()) return {width: Math.max(220, host.clientWidth), height: PLOT_HEIGHT};
  const wide = host.parentElement.classList.contains("wide");
  return {width: wide ? PRINT.wide : PRINT.width, height: PRINT.height};
}

// Draws into `host`. p: {x: {title, unit, log, base, min, max}, y, layers, hover: [{x, y, text}], label}. Returns
// {redraw, resize, destroy}.
function plot(host, p) {
  host.replaceChildren();
  const {width, height} = plotSize(host);
  const scale = (axis) => ({
    time: false,
    auto: false,
    distr: axis.log ? 3 : 1,
    log: axis.base || 10,
    min: axis.min,
    max: axis.max,
    range: (u, min, max) => (min === null || min === undefined ? [axis.min, axis.max] : [min, max]),
  });
  const u = new uPlot({
    mode: 2,
    width,
    height,
    padding: [10, 14, 0, 0],
    legend: {show: false},
    cursor: {x: false, y: false, dataIdx: () => null, points: {show: false}, drag: {x: true, y: true, uni: 30}},
    scales: {x: scale(p.x), y: scale(p.y)},
    axes: [uplotAxis(p.x, 2, width - 80), uplotAxis(p.y, 3, height - 70)],
    series: [null, ...p.layers.map((layer) => ({
      paths: (self) => {
        drawLayer(self, layer, p.x.log || p.y.log);
        return null;
      },
    }))],
  }, [null, ...p.layers.map(() => [[p.x.min, p.x.max], [p.y.min, p.y.max]])], host);
  const stop = hovering(host, u, p);
  return {
    redraw: () => u.redraw(false, true),
    resize: () => u.setSize(plotSize(host)),
    destroy: () => {
      stop();
      u.destroy();
    },
  };
}

// The nearest point answers to the mouse or a finger; the arrow keys walk through all of them.
function hovering(host, u, p) {
  const ring = el("div", {class: "ring", hidden: true});
  u.over.append(ring);
  let current = -1;
  const place = (i) => [u.valToPos(p.hover[i].x, "x"), u.valToPos(p.hover[i].y, "y")];
  const show = (i) => {
    current = i;
    const [x, y] = place(i);
    const box = u.over.getBoundingClientRect();
    ring.hidden = false;
    ring.style.left = x + "px";
    ring.style.top = y + "px";
    tooltip.show(p.hover[i].text, box.left + x, box.top + y);
  };
  const hide = () => {
    ring.hidden = true;
    tooltip.hide();
  };
  const nearest = (event) => {
    const box = u.over.getBoundingClientRect();
    let best = -1;
    let bestDistance = p.hitColumns ? Infinity : REACH * REACH;
    p.hover.forEach((_, i) => {
      const [x, y] = place(i);
      const dx = x - (event.clientX - box.left);
      const dy = p.hitColumns ? 0 : y - (event.clientY - box.top);
      if (dx * dx + dy * dy < bestDistance) [best, bestDistance] = [i, dx * dx + dy * dy];
    });
    if (best < 0) hide();
    else show(best);
  };
  const keys = (event) => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
    if (event.key === "Escape") hide();
    if (!step || !p.hover.length) return;
    event.preventDefault();
    show((current + step + p.hover.length) % p.hover.length);
  };
  u.over.addEventListener("pointermove", nearest);
  u.over.addEventListener("pointerdown", nearest);
  u.over.addEventListener("pointerleave", hide);
  host.tabIndex = 0;
  host.setAttribute("role", "img");
  host.setAttribute("aria-label", p.label + " Arrow keys walk through the points.");
  host.addEventListener("keydown", keys);
  host.addEventListener("blur", hide);
  return () => {
    host.removeEventListener("keydown", keys);
    host.removeEventListener("blur", hide);
    hide();
  };
}
