// Latency curves: measured points along one axis, and the line that the lookup answers with between them.
"use strict";

const CURVES_AT_ONCE = 6;

// A sample of a mark or a line for the legend, drawn as on the chart.
function legendMark(index, shape) {
  const sample = el("canvas", {width: 22, height: 14, "aria-hidden": "true"});
  const context = sample.getContext("2d");
  context.strokeStyle = context.fillStyle = seriesColour(index);
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(1, 7);
  context.lineTo(21, 7);
  context.stroke();
  markPath(context, shape, 11, 7, 4);
  context.fill();
  return sample;
}

function latencyCurve(chart, host, controls) {
  const values = (i, series) => series.flatMap((s) => s.points.map((point) => point[i]));
  const state = {
    series: "",
    log: wantsLog(values(0, chart.series), 30),
    logY: wantsLog(values(1, chart.series), 30),
  };
  const legend = el("ul", {class: "legend"});
  let drawn = null;

  const draw = () => {
    const numbered = chart.series.map((series, index) => ({...series, index}));
    const shown = state.series === "" ? numbered.slice(0, CURVES_AT_ONCE) : [numbered[Number(state.series)]];
    const axis = (i, base, log, spec) => {
      const all = values(i, shown);
      const logarithmic = log && all.every((value) => value > 0);
      const [min, max] = paddedRange(all, logarithmic, i === 1);
      return {...spec, log: logarithmic, base, min, max};
    };
    const colourOf = (series) => (shown.length > 1 ? series.index : 0);
    const mark = (series) => MARKS[colourOf(series) % MARKS.length];
    const layers = shown.flatMap((series) => [
      {kind: "line", points: series.line, stroke: () => seriesColour(colourOf(series)), width: 1.6},
      {kind: "points", points: series.points, fill: () => seriesColour(colourOf(series)), mark: mark(series)}]);
    const text = (series, point) => (series.label ? series.label + "\n" : "") +
      `${chart.x.title} = ${withUnit(point[0], chart.x.unit)}\n${chart.y.title}: ${withUnit(point[1], chart.y.unit)}` +
      (point[2] > 1 ? `\nmedian of ${number(point[2])} measurements` : "\n1 measurement");
    const hover = shown.flatMap((series) => series.points.map((point) => ({x: point[0], y: point[1], text: text(series, point)})));
    if (drawn) drawn.destroy();
    drawn = plot(host, {x: axis(0, 2, state.log, chart.x), y: axis(1, 10, state.logY, chart.y), layers, hover,
      label: `${chart.title}: ${shown.length} of ${chart.series.length} lines, ${hover.length} measured points.`});
    legend.replaceChildren(...shown.map((series) =>
      el("li", {}, legendMark(colourOf(series), mark(series)), `${series.label || "measured"} (${number(series.points.length)})`)));
  };

  const first = Math.min(CURVES_AT_ONCE, chart.series.length);
  controls.replaceChildren(...[
    chart.series.length > 1 ? select("line", [{value: "", text: first < chart.series.length ? `the ${first} with most points` : "all"},
      ...chart.series.map((series, i) => ({value: i, text: series.label}))], state.series, (value) => {
      state.series = value;
      draw();
    }) : null,
    checkbox(`log ${chart.x.title}`, state.log, (on) => {
      state.log = on;
      draw();
    }),
    checkbox(`log ${chart.y.title}`, state.logY, (on) => {
      state.logY = on;
      draw();
    })].filter(Boolean));
  draw();
  host.after(legend);
  return {redraw: draw, resize: () => drawn.resize()};
}
