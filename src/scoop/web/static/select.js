// Selects all rows of a list and counts the selected ones; without it, rows are selected one by one.

const all = document.querySelector("[data-select-all]");
const boxes = [...document.querySelectorAll("[data-select]")];
const count = document.querySelector("[data-selected]");

function show() {
  const selected = boxes.filter((box) => box.checked).length;
  count.textContent = selected ? `${selected} selected:` : "Selected sources:";
  all.checked = selected === boxes.length;
  all.indeterminate = selected > 0 && selected < boxes.length;
}

if (all && boxes.length) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  for (const box of boxes) box.addEventListener("change", show);
  addEventListener("pageshow", show); // browsers restore boxes after a step back
}
