// Shows how long a request to a remote server has taken so far.

function wait(element) {
  const status = document.createElement("p");
  status.className = "waiting";
  status.setAttribute("role", "status");
  const began = Date.now();
  const update = () => (status.textContent = `${element.dataset.slow} … ${Math.round((Date.now() - began) / 1000)} s`);
  update();
  element.closest("form, .actions, li, p").append(status);
  const ticking = setInterval(update, 1000);
  addEventListener("pageshow", () => {
    clearInterval(ticking); // the reader came back to this page
    status.remove();
  });
}

for (const element of document.querySelectorAll("[data-slow]")) {
  element.addEventListener(element.tagName === "FORM" ? "submit" : "click", () => wait(element));
}
