// Density maps: where there are points in two of a regime's axes, and within which hull.
"use strict";

// The convex hull of [x, y] points, counter-clockwise and closed (Andrew's monotone chain).
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (list) => {
    const kept = [];
    for (const point of list) {
      while (kept.length >= 2 && turn(kept[kept.length - 2], kept[kept.length - 1], point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  const hull = [...chain(sorted), ...chain(sorted.reverse())];
  return hull.length ? [...hull, hull[0]] : [];
}

// A colour of the ramp for a share between 0 and 1.
function rampColour(share) {
  const stops = colour("ramp").split(/\s+/).map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[low].map((c, i) => Math.round(c + (stops[low + 1][i] - c) * (at - low)));
  return `rgb(${mixed.join(",")})`;
}

const MAX_SLICES = 60;

// What the other axes are equal to, most points first.
function slices(chart, x, y) {
  const others = chart.axes.map((axis, i) => [axis.title, i]).filter(([, i]) => i !== x && i !== y);
  if (!others.length) return [];
  const counts = new Map();
  for (const point of chart.points) {
    const key = others.map(([name, i]) => `${name}=${point[i]}`).join(" ");
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return [...counts].filter(([, n]) => n >= 2).sort((a, b) => b[1] - a[1]).slice(0, MAX_SLICES)
    .map(([key, n]) => ({value: key, text: `${key} (${number(n)})`}));
}

function inSlice(chart, x, y, slice) {
  if (!slice) return chart.points;
  const others = chart.axes.map((axis, i) => [axis.title, i]).filter(([, i]) => i !== x && i !== y);
  return chart.points.filter((point) => others.map(([name, i]) => `${name}=${point[i]}`).join(" ") === slice);
}

// The two axes with the most distinct values, in the order of the document.
function firstAxes(chart) {
  const spread = chart.axes.map((_, i) => [new Set(chart.points.map((point) => point[i])).size, i]);
  const [a, b] = spread.sort((p, q) => q[0] - p[0] || p[1] - q[1]);
  return [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
}

function densityMap(chart, host, controls) {
  const last = chart.axes.length;  // the value's place in a point; the count follows
  const [x, y] = firstAxes(chart);
  const column = (i) => chart.points.map((point) => point[i]);
  const state = {x, y, slice: "", log: wantsLog(column(x), 30) || wantsLog(column(y), 30), hull: true};
  const legend = el("ul", {class: "legend"});
  let drawn = null;

  const draw = () => {
    const points = [...inSlice(chart, state.x, state.y, state.slice)].sort((a, b) => a[last] - b[last]);  // slowest on top
    const flat = points.map((point) => [point[state.x], point[state.y]]);
    const axis = (i) => {
      const log = state.log && column(i).every((value) => value > 0);
      const [min, max] = paddedRange(column(i), log, false);
      return {...chart.axes[i], log, base: 2, min, max};
    };
    const low = Math.min(...points.map((point) => point[last]));
    const high = Math.max(...points.map((point) => point[last]));
    const share = (value) => (high > low ? Math.log(value / low) / Math.log(high / low) : 0.5);
    const layers = [{kind: "points", points: flat, fill: (i) => rampColour(share(points[i][last])), mark: "circle"}];
    const hull = convexHull(flat);
    if (state.hull && hull.length > 3)
      layers.unshift({kind: "line", points: hull, stroke: () => colour("hull"), fill: () => colour("hull"), dash: [5, 3]});
    const text = (point) => chart.axes.map((a, i) => `${a.title} = ${withUnit(point[i], a.unit)}`).join("\n") +
      `\n${chart.value.title}: ${withUnit(point[last], chart.value.unit)}` +
      (point[last + 1] > 1 ? `\nmedian of ${number(point[last + 1])} measurements` : "\n1 measurement");
    const spots = new Map();
    for (const point of points) {
      const spot = `${point[state.x]} ${point[state.y]}`;
      spots.set(spot, [...(spots.get(spot) || []), point]);
    }
    const crowd = (group) => [state.x, state.y].map((i) => `${chart.axes[i].title} = ${withUnit(group[0][i], chart.axes[i].unit)}`).join("\n") +
      `\n${number(group.length)} coordinates here\n${chart.value.title}: ${number(group[0][last])} to ${withUnit(group[group.length - 1][last], chart.value.unit)}`;
    const hover = [...spots.values()]
      .map((group) => ({x: group[0][state.x], y: group[0][state.y], text: group.length > 1 ? crowd(group) : text(group[0])}))
      .sort((a, b) => a.x - b.x || a.y - b.y);
    if (drawn) drawn.destroy();
    drawn = plot(host, {x: axis(state.x), y: axis(state.y), layers, hover,
      label: `${chart.title}: ${points.length} points, ${chart.axes[state.x].title} across, ${chart.axes[state.y].title} up.`});
    legend.replaceChildren(
      el("li", {}, chart.value.title, " ", withUnit(low, chart.value.unit),
        el("span", {class: "ramp", style: `background:linear-gradient(90deg,${colour("ramp").split(/\s+/).join(",")})`}),
        withUnit(high, chart.value.unit)),
      el("li", {}, `${number(points.length)} coordinates`),
      state.hull && hull.length > 3 ? el("li", {}, el("span", {style: `border-top:2px dashed ${colour("hull")};width:1.4rem`}), "convex hull") : null);
  };

  const build = () => {
    const axes = chart.axes.map((axis, i) => ({value: i, text: axis.title}));
    const choose = (key) => (value) => {
      const old = state[key];
      state[key] = Number(value);
      if (state.x === state.y) state[key === "x" ? "y" : "x"] = old;
      state.slice = "";
      build();
      draw();
    };
    const choices = slices(chart, state.x, state.y);
    controls.replaceChildren(...[
      chart.axes.length > 2 ? select("across", axes, state.x, choose("x")) : null,
      chart.axes.length > 2 ? select("up", axes, state.y, choose("y")) : null,
      choices.length > 1 ? select("other axes", [{value: "", text: "all"}, ...choices], state.slice, (value) => {
        state.slice = value;
        draw();
      }) : null,
      checkbox("logarithmic", state.log, (on) => {
        state.log = on;
        draw();
      }),
      checkbox("hull", state.hull, (on) => {
        state.hull = on;
        draw();
      })].filter(Boolean));
  };
  build();
  draw();
  host.after(legend);
  return {redraw: draw, resize: () => drawn.resize()};
}
