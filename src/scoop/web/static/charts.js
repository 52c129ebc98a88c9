// Draws the tables of the page as stacked bar charts, one bar per day, in the colours of the theme. A column with `data-line`
// is drawn as a line from -1 to 1 over them.

const HEIGHT = 240;
const LABEL_WIDTH = 56; // pixels of "30 Nov" and a margin
const compact = new Intl.NumberFormat("en", { notation: "compact" });
const whole = new Intl.NumberFormat("en");
const signed = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" });
const dayName = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Dots and stripes tell the parts of a bar apart without colour.
const TILE = 6; // pixels
const STROKES = { dotted: [2, 3, 4, 3], striped: [0, TILE, TILE, 0] };
const MARKERS = {
  dotted: (paper) => `radial-gradient(${paper} 25%, transparent 30%) 0 0 / 4px 4px, `,
  striped: (paper) => `repeating-linear-gradient(135deg, ${paper} 0 1px, transparent 1px 4px), `,
};

function fill(name, pattern) {
  const tile = Object.assign(document.createElement("canvas"), { width: TILE, height: TILE });
  const pen = tile.getContext("2d");
  pen.fillStyle = colour(name);
  pen.fillRect(0, 0, TILE, TILE);
  pen.strokeStyle = colour("surface");
  if (pattern in STROKES) {
    const [fromX, fromY, toX, toY] = STROKES[pattern];
    pen.moveTo(fromX, fromY);
    pen.lineTo(toX, toY);
    pen.stroke();
  }
  return { pattern: pen.createPattern(tile, "repeat"), marker: `${MARKERS[pattern]?.(colour("surface")) ?? ""}${colour(name)}` };
}

// The marker of a line in the legend.
function stroke(name) {
  return `linear-gradient(transparent 40%, ${colour(name)} 40% 60%, transparent 60%)`;
}

function read(table) {
  const lines = [...table.tBodies[0].rows];
  const columns = lines[0].querySelectorAll("[data-value]").length;
  const points = lines.map((line) => line.querySelector("[data-line]"));
  return {
    labels: [...table.tHead.rows[0].cells].slice(1, columns + 1).map((cell) => cell.textContent),
    days: lines.map((line) => line.querySelector("time")).map((time) => time.dataset.short ?? dayName.format(new Date(time.dateTime))),
    columns,
    values: lines.map((line) => [...line.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value))),
    line: points.some((cell) => cell) && {
      label: points.find((cell) => cell).dataset.label,
      values: points.map((cell) => (cell ? Number(cell.dataset.line) : null)),
    },
  };
}

// Each series is drawn from zero to the sum of itself and those below it, the highest first.
function stacked({ values, columns, days, line }) {
  const sums = Array.from({ length: columns }, (_, column) =>
    values.map((line) => line.slice(0, column + 1).reduce((sum, value) => sum + value, 0)),
  );
  return [days.map((_, index) => index), ...sums.reverse(), ...(line ? [line.values] : [])];
}

function axis(change) {
  const text = colour("muted");
  const line = { stroke: colour("line"), width: 1 };
  return { stroke: text, font: "12px system-ui, sans-serif", grid: line, ticks: line, ...change };
}

function options(chart, table, width) {
  const patterns = chart.dataset.patterns?.split(" ") ?? [];
  const fills = chart.dataset.colours.split(" ").map((name, position) => fill(name, patterns[position])).reverse();
  const labels = [...table.labels].reverse();
  // Without a cursor the legend shows the totals of the range: on a phone there is no cursor at all.
  const total = (column) => table.values.reduce((sum, line) => sum + line[column], 0);
  const own = (column) => (plot, sum, series, index) => whole.format(table.values[index]?.[column] ?? total(column));
  return {
    width,
    height: HEIGHT,
    padding: [12, table.line ? 0 : 24, 0, 0],
    cursor: { y: false, drag: { x: chart.dataset.opens === "rows", y: false, setScale: false }, points: { show: false } },
    hooks: {
      ready: [(plot) => chart.dispatchEvent(new CustomEvent("chart-drawn", { detail: plot }))],
      setSelect: [(plot) => chart.dispatchEvent(new CustomEvent("chart-brushed", { detail: plot }))],
    },
    legend: { live: true, markers: { fill: (plot, index) => fills[index - 1]?.marker ?? stroke("accent"), width: 0 } },
    scales: { line: { range: [-1, 1] }, x: { time: false, range: [-0.6, table.days.length - 0.4] }, y: { range: (plot, low, high) => [0, Math.max(high * (chart.dataset.headroom ?? 1.05), 1)] } },
    axes: [
      axis({
        grid: { show: false },
        splits: () => every(table.days.length, Math.max(2, Math.floor((width - 50) / LABEL_WIDTH))),
        values: (plot, splits) => splits.map((index) => table.days[index]),
      }),
      axis({ size: 48, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6], values: (plot, splits) => splits.map((split) => compact.format(split)) }),
      ...(table.line ? [axis({ scale: "line", side: 1, size: 56, grid: { show: false }, splits: [-1, -0.5, 0, 0.5, 1], values: (plot, splits) => splits.map(signed.format) })] : []),
    ],
    series: [
      { label: chart.dataset.unit ?? "Day", value: (plot, index) => table.days[index] ?? `all ${table.days.length}` },
      ...labels.map((label, position) => ({
        label,
        fill: fills[position].pattern,
        stroke: fills[position].pattern,
        width: 0,
        paths: uPlot.paths.bars({ size: [0.7, 40] }),
        points: { show: false },
        value: own(table.columns - 1 - position),
      })),
      ...(table.line ? [average(table)] : []),
    ],
  };
}

function average({ line, values }) {
  // Without a cursor the legend shows the average of the range, as it shows the totals of the bars.
  const sizes = values.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const size = sizes.reduce((sum, count) => sum + count, 0);
  const mean = line.values.reduce((sum, value, index) => sum + (value ?? 0) * sizes[index], 0) / size;
  const written = (value) => (value === null ? "no mentions" : signed.format(value));
  return {
    label: line.label,
    scale: "line",
    stroke: colour("accent"),
    width: 2,
    spanGaps: true,
    points: { show: true, size: 7, fill: colour("surface") },
    value: (plot, value, series, index) => written(index === null ? mean : line.values[index]),
  };
}

// Positions of the labels at equal distances; the last day always has one.
function every(count, most) {
  const step = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / step) }, (_, position) => count - 1 - position * step).reverse();
}

function draw(chart) {
  const table = read(document.getElementById(chart.dataset.table));
  chart.replaceChildren();
  return new uPlot(options(chart, table, chart.clientWidth), stacked(table), chart);
}

const charts = [...document.querySelectorAll(".chart")];

function drawAll() {
  charts.forEach(draw);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
if (charts.length) new ResizeObserver(drawAll).observe(charts[0]);
