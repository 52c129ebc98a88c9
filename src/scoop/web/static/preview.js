// What asks somebody outside may take a while: say so, and for how long it has been.
"use strict";

function wait(element) {
  const told = document.createElement("p");
  told.className = "waiting";
  told.setAttribute("role", "status");
  const began = Date.now();
  const say = () => (told.textContent = `${element.dataset.slow} … ${Math.round((Date.now() - began) / 1000)} s`);
  say();
  element.closest("form, .actions, li, p").append(told);
  const ticking = setInterval(say, 1000);
  addEventListener("pageshow", () => {
    clearInterval(ticking); // back again from the page that was asked for
    told.remove();
  });
}

for (const element of document.querySelectorAll("[data-slow]")) {
  element.addEventListener(element.tagName === "FORM" ? "submit" : "click", () => wait(element));
}
