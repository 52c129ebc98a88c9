// A chart whose bars open their evidence: a click opens one, a brush opens a range; stories are marked where they began.

const chart = document.querySelector(".chart[data-opens=rows]");
const save = document.querySelector("[data-save-chart]");
const MARK_DISTANCE = 42; // pixels between the centres of two marks: the width of "10–12", and a gap
const HEAD = 56; // pixels above the chart in a saved picture

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

// One mark for the stories of a bar and of those so near that their marks would overlap: above the bars, it hides none.
function showStories(plot) {
  const starts = rows().map((row) => Date.parse(row.querySelector("time").dateTime));
  const marks = [];
  document.querySelectorAll("[data-begins]").forEach((story) => {
    const index = starts.findLastIndex((start) => start <= Date.parse(story.dataset.begins));
    if (index < 0) return;
    const left = plot.valToPos(index, "x");
    if (marks.length && left < marks.at(-1).left + MARK_DISTANCE) marks.at(-1).stories.push(story);
    else marks.push({ left, stories: [story] });
  });
  marks.forEach(({ left, stories }) => plot.over.append(mark(stories, left)));
}

function mark(stories, left) {
  const [first, last] = [stories[0], stories.at(-1)];
  const made = document.createElement("a");
  made.className = "begins";
  made.href = first === last ? first.querySelector("a").href : "#stories";
  made.textContent = first === last ? first.dataset.number : `${first.dataset.number}–${last.dataset.number}`;
  made.title = stories.map((story) => story.querySelector("a").textContent).join("\n");
  made.setAttribute("aria-label", `${first === last ? "Story" : "Stories"} ${made.textContent}: ${made.title}`);
  made.style.left = `${left}px`;
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

// The chart on the paper of the page, with a title and what its patterns mean: alone it is transparent.
function picture(drawn) {
  const scale = devicePixelRatio;
  const made = Object.assign(document.createElement("canvas"), { width: drawn.width, height: drawn.height + HEAD * scale });
  const pen = made.getContext("2d");
  const page = getComputedStyle(document.body);
  pen.fillStyle = page.backgroundColor;
  pen.fillRect(0, 0, made.width, made.height);
  pen.drawImage(drawn, 0, HEAD * scale);
  pen.scale(scale, scale);
  pen.fillStyle = page.color;
  pen.font = "600 16px system-ui, sans-serif";
  pen.fillText(`${document.querySelector("h1").textContent}: ${document.getElementById("series").textContent}`, 12, 24);
  pen.font = "12px system-ui, sans-serif";
  pen.fillText("plain: positive, dotted: neutral, striped: negative, line: average", 12, 44);
  return made;
}

if (chart && save) {
  save.hidden = false;
  save.addEventListener("click", () => {
    picture(chart.querySelector("canvas")).toBlob((blob) => {
      const saved = document.createElement("a");
      saved.href = URL.createObjectURL(blob);
      saved.download = save.dataset.saveChart;
      saved.click();
      URL.revokeObjectURL(saved.href);
    });
  });
}
