// Keyboard shortcuts: j and k move between headlines, o opens one, / searches, g and a letter opens a page, ? lists them.
// An element with data-key has its own shortcut.

const all = [...document.querySelectorAll("[data-stop]")];
const keys = document.getElementById("keys");
const button = document.getElementById("keys-button");

function move(step) {
  const stops = all.filter((stop) => stop.checkVisibility()); // not those in closed menus
  const at = stops.indexOf(document.activeElement);
  const next = at < 0 ? firstInView(stops, step) : at + step;
  stops[Math.max(0, Math.min(next, stops.length - 1))]?.focus();
}

function firstInView(stops, step) {
  const at = stops.findIndex((stop) => stop.getBoundingClientRect().top >= 0);
  return step > 0 ? at : at - 1;
}

function open() {
  if (all.includes(document.activeElement)) document.activeElement.click();
}

let isGoing = false; // the previous key was g

function go(letter) {
  isGoing = false;
  document.querySelector(`[data-go="${CSS.escape(letter)}"]`)?.click();
}

function focusSearch() {
  document.querySelector(".seek input")?.focus();
}

function close(menus) {
  for (const menu of menus) menu.open = false;
}

function openMenus() {
  return [...document.querySelectorAll("details[name=menus][open]")];
}

const actions = {
  j: () => move(1),
  k: () => move(-1),
  o: open,
  g: () => (isGoing = true),
  "/": focusSearch,
  "?": () => keys.showModal(),
  Escape: () => close(openMenus()),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable], dialog[open]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isGoing) {
    event.preventDefault();
    go(event.key);
    return;
  }
  const own = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)].find((each) => each.checkVisibility());
  if (own ? event.repeat : !Object.hasOwn(actions, event.key)) return; // a key held down acts once
  event.preventDefault();
  own ? own.click() : actions[event.key]();
});

document.addEventListener("click", (event) => close(openMenus().filter((menu) => !menu.contains(event.target))));

button.hidden = false;
button.addEventListener("click", () => keys.showModal());
