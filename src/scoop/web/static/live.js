// Updates the counts of the queue page from the event stream; without it they stay as loaded.

const rows = [...document.querySelectorAll("#stages [data-stage]")];
const live = document.getElementById("live");
const empty = document.getElementById("empty");
const number = new Intl.NumberFormat("en");

function counted(stage, work) {
  const of = (state) => work.find((count) => count.stage === stage && count.state === state);
  const waiting = of("waiting");
  return {
    due: waiting?.due ?? 0,
    waiting: waiting?.count ?? 0,
    running: of("claimed")?.count ?? 0,
    failed: waiting?.failed ?? 0,
    quarantined: of("quarantined")?.count ?? 0,
  };
}

function until(moment) {
  const minutes = Math.floor((Date.parse(moment) - Date.now()) / 60_000);
  if (minutes < 1) return "now";
  return minutes < 60 ? `in ${minutes} min` : minutes < 1440 ? `in ${Math.floor(minutes / 60)} h` : `in ${Math.floor(minutes / 1440)} d`;
}

function next(stage, work) {
  const waiting = work.find((count) => count.stage === stage && count.state === "waiting");
  return waiting && !waiting.due ? until(waiting.next_time) : "-";
}

function put(row, name, text) {
  const cell = row.querySelector(`[data-count="${name}"]`);
  cell.classList.toggle("none", text === "0" || text === "-");
  if (cell.textContent !== text) cell.textContent = text;
}

function show(work) {
  for (const row of rows) {
    const counts = Object.entries(counted(row.dataset.stage, work));
    for (const [name, count] of counts) put(row, name, number.format(count));
    put(row, "next", next(row.dataset.stage, work));
    row.hidden = counts.every(([, count]) => count === 0);
  }
  const idle = rows.filter((row) => row.hidden).length;
  empty.hidden = idle === 0;
  empty.textContent = `${idle === 1 ? "1 stage has" : `${idle} stages have`} no work.`;
  document.getElementById("stages").hidden = idle === rows.length;
}

function say(text) {
  if (live.textContent !== text) live.textContent = text;
}

const events = new EventSource("/api/v1/progress");
events.addEventListener("work", (event) => {
  show(JSON.parse(event.data));
  say("Work per stage, as it changes.");
});
events.addEventListener("error", () => {
  if (events.readyState === EventSource.CLOSED) say("Work per stage when this page was loaded.");
});
