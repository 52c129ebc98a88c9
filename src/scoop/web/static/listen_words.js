// Taps on words: level, base form and meaning, by the dictionary of the lesson, which is kept on the device with it.

const lesson = document.getElementById("lesson");
const panel = document.getElementById("looked-up");
const meanings = document.getElementById("meanings");
const MOST = 3; // meanings of a word
let dictionary = null; // of all words of the lesson, loaded by the first tap

async function load() {
  const response = await fetch(lesson.dataset.words);
  if (!response.ok) throw new Error(response.statusText);
  return (await response.json()).items;
}

async function lookUp(word) {
  panel.hidden = false;
  meanings.textContent = word.textContent;
  dictionary ??= load();
  const entries = await dictionary.catch(() => null);
  if (meanings.textContent !== word.textContent) return; // another word was tapped meanwhile
  if (entries) {
    const own = entries.filter((entry) => entry.word === word.textContent).slice(0, MOST);
    meanings.replaceChildren(...own.map((entry) => describe(entry, word)));
  } else {
    dictionary = null; // the next tap tries again
    meanings.textContent = `${word.textContent}: the dictionary of this lesson needs a connection.`;
  }
}

function element(name, text, attributes = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...attributes });
}

function describe(entry, word) {
  const line = element("p", "");
  // What is unknown and has a capital is mostly a name: it has no level.
  if (!entry.definition && /^\p{Lu}/u.test(entry.word)) {
    line.append(element("strong", entry.word), " ", element("span", "The dictionary does not have it; it may be a name."), " ");
  } else {
    line.append(element("strong", entry.lemma), " ", element("span", `${entry.level} ${entry.word_class}`, { className: "facts" }), " ");
    line.append(element("span", entry.definition || "The dictionary does not have it."), " ");
  }
  if ("known" in lesson.dataset) line.append(adder(entry, word));
  return line;
}

function adder(entry, word) {
  const button = element("button", "Add to my words", { type: "button", className: "quiet" });
  button.addEventListener("click", async () => {
    button.disabled = true;
    const outcome = await sendWord({
      word: entry.word,
      word_class: entry.word_class,
      example: word.closest(".sentence").textContent.trim(),
      lesson_id: Number(lesson.dataset.lesson),
    });
    button.textContent = { sent: "Added", waiting: "Added when there is a connection", refused: "Not added: try again" }[outcome];
    button.disabled = outcome !== "refused";
  });
  return button;
}

document.querySelector(".lesson-text").addEventListener("click", (event) => {
  const word = event.target.closest(".w");
  if (word) lookUp(word);
});
document.getElementById("close-word").addEventListener("click", () => { panel.hidden = true; });
