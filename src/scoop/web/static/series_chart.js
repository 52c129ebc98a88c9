// A chart whose bars open their evidence: a click opens one, a brush opens a range; stories are marked where they began.

const chart = document.querySelector(".chart[data-opens=rows]");
const save = document.querySelector("[data-save-chart]");
const MARK_SIZE = 25; // pixels: the least size of a target, and a gap
const MARK_ROWS = 6; // above each other; the list beside the chart has the others

function rows() {
  return [...document.getElementById(chart.dataset.table).tBodies[0].rows];
}

function link(index) {
  return rows()[Math.min(Math.max(index, 0), rows().length - 1)].querySelector("a");
}

// The index of the bar at a place of the chart, in pixels.
function barAt(plot, left) {
  return Math.round(plot.posToVal(left, "x"));
}

function openRange(plot) {
  const { left, width } = plot.select;
  if (!width || !plot.isBrushed) return;
  const [first, last] = [left, left + width].map((place) => link(barAt(plot, place)));
  const address = new URL(first.href);
  address.searchParams.set("to", last.querySelector("time").dateTime);
  location.assign(address);
}

// The chosen bars stay marked while their passages are read.
function showRange(plot) {
  const chosen = rows().flatMap((row, index) => (row.hasAttribute("data-chosen") ? [index] : []));
  if (!chosen.length) return;
  const left = plot.valToPos(chosen[0] - 0.5, "x");
  plot.setSelect({ left, width: plot.valToPos(chosen.at(-1) + 0.5, "x") - left, top: 0, height: plot.over.clientHeight }, false);
}

function showStories(plot) {
  const starts = rows().map((row) => Date.parse(row.querySelector("time").dateTime));
  const rightmost = Array(MARK_ROWS).fill(-Infinity); // of the marks of each row; stories are in order of time
  document.querySelectorAll("[data-begins]").forEach((story) => {
    const index = starts.findLastIndex((start) => start <= Date.parse(story.dataset.begins));
    const left = plot.valToPos(index, "x");
    const row = rightmost.findIndex((place) => place + MARK_SIZE <= left);
    if (index < 0 || row < 0) return;
    rightmost[row] = left;
    plot.over.append(mark(story, left, row * MARK_SIZE));
  });
}

function mark(story, left, top) {
  const made = story.querySelector("a").cloneNode();
  made.className = "mark";
  made.textContent = story.dataset.number;
  made.title = story.querySelector("a").textContent;
  made.setAttribute("aria-label", `Story ${story.dataset.number}: ${made.title}`);
  Object.assign(made.style, { left: `${left}px`, top: `${top}px` });
  return made;
}

// This script is before charts.js in the page, so that it hears of the first drawing.
if (chart) {
  chart.addEventListener("chart-drawn", ({ detail: plot }) => {
    showRange(plot);
    showStories(plot);
    plot.over.addEventListener("mousedown", () => (plot.isBrushed = true));
    plot.over.addEventListener("click", (event) => {
      if (!event.target.closest("a")) link(barAt(plot, event.clientX - plot.over.getBoundingClientRect().left)).click();
    });
  });
  chart.addEventListener("chart-brushed", ({ detail: plot }) => openRange(plot));
}

if (chart && save) {
  save.hidden = false;
  save.addEventListener("click", () => {
    chart.querySelector("canvas").toBlob((picture) => {
      const saved = document.createElement("a");
      saved.href = URL.createObjectURL(picture);
      saved.download = save.dataset.saveChart;
      saved.click();
      URL.revokeObjectURL(saved.href);
    });
  });
}
