// Scatter: points of several series, and lines to compare them with.
"use strict";

function scatterChart(chart, host, controls) {
  const lines = chart.lines || [];
  const values = (i) => [...chart.series, ...lines].flatMap((s) => s.points.map((point) => point[i]));
  const state = {logX: Boolean(chart.x.log), logY: Boolean(chart.y.log)};
  const legend = el("ul", {class: "legend"});
  let drawn = null;

  const draw = () => {
    const axis = (i, log, spec) => {
      const logarithmic = log && values(i).every((value) => value > 0);
      const [min, max] = paddedRange(values(i), logarithmic, false);
      return {...spec, log: logarithmic, base: 10, min, max};
    };
    const mark = (i) => MARKS[i % MARKS.length];
    const layers = [
      ...lines.map((line) => ({kind: "line", points: line.points, stroke: () => colour("soft"), dash: [6, 4]})),
      ...chart.series.map((series, i) => ({kind: "points", points: series.points, fill: () => seriesColour(i), mark: mark(i), radius: 3.5}))];
    const hover = chart.series.flatMap((series) => series.points.map((point) => ({x: point[0], y: point[1],
      text: `${point[2] || series.label}\n${chart.x.title}: ${withUnit(point[0], chart.x.unit)}\n${chart.y.title}: ${withUnit(point[1], chart.y.unit)}`})));
    if (drawn) drawn.destroy();
    drawn = plot(host, {x: axis(0, state.logX, chart.x), y: axis(1, state.logY, chart.y), layers, hover,
      label: `${chart.title}: ${hover.length} points, ${chart.x.title} across, ${chart.y.title} up.`});
    legend.replaceChildren(
      ...chart.series.map((series, i) => el("li", {}, legendMark(i, mark(i)), `${series.label} (${number(series.points.length)})`)),
      ...lines.map((line) => el("li", {}, el("span", {style: `border-top:2px dashed ${colour("soft")};width:1.4rem`}), line.label)));
  };
  controls.replaceChildren(
    checkbox(`log ${chart.x.title}`, state.logX, (on) => {
      state.logX = on;
      draw();
    }),
    checkbox(`log ${chart.y.title}`, state.logY, (on) => {
      state.logY = on;
      draw();
    }));
  draw();
  host.after(legend);
  return {redraw: draw, resize: () => drawn.resize()};
}
