// Thumbs up and down without leaving the list: the answer replaces the article and the list of labels.
// y, n and u label the article at the focus. Without it, the page is loaded again at the article.

async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const response = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function replace(page, id) {
  const now = page.getElementById(id);
  if (now) document.getElementById(id)?.replaceWith(now);
}

function focus(id, thumb) {
  const article = document.getElementById(id);
  const target = thumb ? article?.querySelector(`[data-thumb="${thumb}"]`) : article?.querySelector("[data-stop]");
  target?.focus();
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-label]");
  if (!form) return;
  event.preventDefault();
  const id = `article-${form.action.match(/labels\/(\d+)/)[1]}`;
  const inList = form.closest(".candidates");
  const thumb = event.submitter?.dataset.thumb;
  form.setAttribute("aria-busy", "true"); // the first label of a server takes seconds: it loads the model
  try {
    const page = await send(form, event.submitter);
    for (const article of document.querySelectorAll(".candidates > li[id]")) replace(page, article.id);
    replace(page, "labelled");
    if (inList) focus(id, isByKey ? null : thumb);
    else document.querySelector("#labelled button")?.focus();
  } catch {
    HTMLFormElement.prototype.submit.call(withThumb(form, event.submitter)); // the server says what is wrong
  }
});

function withThumb(form, submitter) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = submitter.name;
  field.value = submitter.value;
  form.append(field);
  return form;
}

let isByKey = false; // the focus returns to the headline
const keys = { y: '[data-thumb="up"][aria-pressed="false"]', n: '[data-thumb="down"][aria-pressed="false"]', u: '[aria-pressed="true"]' };

addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return; // g and n go to the news
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !Object.hasOwn(keys, event.key)) return;
  const article = event.target.closest(".candidates > li");
  const button = article?.querySelector(`.thumbs ${keys[event.key]}`);
  if (!button) return;
  isByKey = true;
  button.click();
});
document.addEventListener("pointerdown", () => (isByKey = false));
