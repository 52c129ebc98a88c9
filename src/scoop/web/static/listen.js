// The player of a lesson: lights up what is spoken, repeats and pauses by sentence, resumes.
// A recording and the voices of the browser are two engines with the same methods.

const lesson = document.getElementById("lesson");
const sentences = [...document.querySelectorAll(".sentence")];
const sound = document.getElementById("sound");
const by = (id) => document.getElementById(id);
const stored = {
  get: (name) => { try { return localStorage.getItem(`listen.${name}`); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(`listen.${name}`, value); } catch { /* private windows have none */ } },
};
const PLACE = `place.${lesson.dataset.id}.${lesson.dataset.level}`;
const RECORDED = "recorded";
const SAVE_EVERY = 10_000; // milliseconds of listening
const SPEEDS = [...by("speed").options].map((option) => Number(option.value));

let at = -1; // the sentence that is lit
let spokenWord = null;
let isShadowing = false;
let isRepeating = false;
let turn = 0; // the timer of a pause for the learner
let savedAt = 0;
const start = (place) => Number(sentences[place].dataset.start);
const end = (place) => Number(sentences[place].dataset.end);
const speed = () => Number(by("speed").value);
const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

// Engines

const recorded = {
  get isPlaying() { return !sound.paused; },
  play: () => sound.play().catch(() => say("The sound cannot be played.")),
  pause: () => sound.pause(),
  go(place) { sound.currentTime = start(place) / 1000; },
  setSpeed() { sound.playbackRate = speed(); },
};

const spoken = {
  isPlaying: false,
  voice: null,
  play() {
    this.isPlaying = true;
    this.say(Math.max(at, 0));
    showState();
  },
  pause() {
    this.isPlaying = false;
    speechSynthesis.cancel();
    showState();
  },
  go(place) {
    light(place);
    if (this.isPlaying) this.say(place);
  },
  setSpeed() { if (this.isPlaying) this.say(at); },
  say(place) {
    speechSynthesis.cancel();
    light(place);
    const words = [...sentences[place].querySelectorAll(".w")];
    const utterance = new SpeechSynthesisUtterance(sentences[place].textContent.trim());
    Object.assign(utterance, { voice: this.voice, lang: this.voice?.lang ?? "en", rate: speed() });
    utterance.onboundary = (event) => lightWord(wordAt(words, event.charIndex));
    utterance.onend = () => { if (this.isPlaying && at === place) this.after(place); };
    speechSynthesis.speak(utterance);
  },
  after(place) {
    const isLast = place + 1 === sentences.length;
    if (isLast && !isRepeating) return finish();
    const next = () => this.isPlaying && this.say(isRepeating ? place : place + 1);
    isShadowing ? yourTurn(2_500 / speed(), next) : next();
  },
};

let engine = sound ? recorded : spoken;

function wordAt(words, index) {
  let place = 0;
  for (const word of words) {
    place = word.closest(".sentence").textContent.trim().indexOf(word.textContent, place);
    if (index < place + word.textContent.length) return word;
    place += word.textContent.length;
  }
  return null;
}

// What is lit

function light(place) {
  if (place === at) return;
  sentences[at]?.classList.remove("now");
  at = place;
  const sentence = sentences[at];
  if (!sentence) return;
  sentence.classList.add("now");
  const { top, bottom } = sentence.getBoundingClientRect();
  const bar = by("player").getBoundingClientRect().top;
  if (top < 0 || bottom > bar - 8) sentence.scrollIntoView({ block: "center", behavior: reducesMotion ? "auto" : "smooth" });
}

function lightWord(word) {
  if (word === spokenWord) return;
  spokenWord?.classList.remove("uttered");
  spokenWord = word;
  word?.classList.add("uttered");
}

function sentenceAt(ms) {
  let found = 0;
  while (found + 1 < sentences.length && ms >= start(found + 1)) found += 1;
  return found;
}

function follow() {
  const ms = sound.currentTime * 1000;
  const place = sentenceAt(ms);
  if (!sound.paused && at >= 0 && place === at + 1 && (isRepeating || isShadowing)) {
    const ended = at;
    if (isShadowing) {
      sound.pause();
      sound.currentTime = (isRepeating ? start(ended) : start(place)) / 1000;
      return yourTurn((end(ended) - start(ended)) / speed() + 500, () => engine.play());
    }
    sound.currentTime = start(ended) / 1000;
    return undefined;
  }
  light(place);
  const words = [...sentences[place].querySelectorAll(".w[data-start]")];
  lightWord(words.findLast((word) => ms >= Number(word.dataset.start)) ?? null);
  showClock();
  return undefined;
}

function watch() {
  if (engine !== recorded || sound.paused) return;
  follow();
  requestAnimationFrame(watch);
}

function yourTurn(milliseconds, then) {
  say("Your turn");
  clearTimeout(turn);
  turn = setTimeout(() => { say(""); then(); }, milliseconds);
}

// Controls

function say(text) { by("turn").textContent = text; }

function showState() {
  by("play").classList.toggle("playing", engine.isPlaying);
  by("play").setAttribute("aria-label", engine.isPlaying ? "Pause" : "Play");
  if ("mediaSession" in navigator) navigator.mediaSession.playbackState = engine.isPlaying ? "playing" : "paused";
}

function clock(seconds) { return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`; }

function showClock() {
  if (!sound || !Number.isFinite(sound.duration)) return;
  by("clock").textContent = `${clock(sound.currentTime)} / ${clock(sound.duration)}`;
  by("seek").value = Math.round((1000 * sound.currentTime) / sound.duration);
  by("seek").setAttribute("aria-valuetext", by("clock").textContent);
}

// The progress bar of a lock screen.
function tellPosition() {
  const { duration, playbackRate, currentTime } = sound;
  if (!Number.isFinite(duration)) return;
  navigator.mediaSession?.setPositionState?.({ duration, playbackRate, position: Math.min(currentTime, duration) });
}

function stopTurn() {
  clearTimeout(turn);
  say("");
}

function toggle() {
  stopTurn();
  engine.isPlaying ? engine.pause() : engine.play();
}

function goTo(place) {
  stopTurn();
  const within = Math.max(0, Math.min(place, sentences.length - 1));
  engine.go(within);
  light(within);
  showClock();
}

function press(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
  return isOn;
}

function setSpeed(value) {
  by("speed").value = String(value);
  stored.set("speed", value);
  engine.setSpeed();
}

function changeSpeed(step) { setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.indexOf(speed()) + step, SPEEDS.length - 1))]); }

function finish() {
  engine.isPlaying = false;
  showState();
  save({ isHeard: true });
}

// Where the learner stopped

function save({ isHeard = false } = {}) {
  const position = sound && engine === recorded && !isHeard ? Math.round(sound.currentTime * 1000) : 0;
  savedAt = Date.now();
  stored.set(PLACE, position);
  stored.set(`${PLACE}.at`, savedAt);
  const body = { sentence: Math.max(at, 0), position_ms: position, is_heard: isHeard, at: new Date(savedAt).toISOString() };
  if ("known" in lesson.dataset) sendPlace(lesson.dataset.progress, body);
}

// The newer of two places: the one of this device, and that of any device, which the page has.
function resume() {
  const { position = 0, positionAt = 0 } = lesson.dataset;
  const place = Number(Number(stored.get(`${PLACE}.at`)) > Number(positionAt) ? stored.get(PLACE) : position);
  if (place > 0 && place < sound.duration * 1000 - 1000) sound.currentTime = place / 1000;
  follow();
}

// Voices of the browser

function listVoices() {
  const voices = "speechSynthesis" in window ? speechSynthesis.getVoices().filter((voice) => voice.lang.startsWith("en")) : [];
  if (!voices.length) return;
  const options = voices.map((voice) => new Option(voice.name, voice.voiceURI));
  by("voice").replaceChildren(...(sound ? [new Option("Recorded", RECORDED)] : []), ...options);
  by("voice").closest("label").hidden = false;
  by("controls").hidden = false;
  const wanted = stored.get("voice");
  by("voice").value = [...by("voice").options].some((option) => option.value === wanted) ? wanted : by("voice").options[0].value;
  chooseVoice(voices);
}

function chooseVoice(voices) {
  const chosen = by("voice").value;
  if (engine.isPlaying) engine.pause();
  spoken.voice = voices.find((voice) => voice.voiceURI === chosen) ?? null;
  engine = sound && chosen === RECORDED ? recorded : spoken;
  by("seek").disabled = engine !== recorded;
}

// Wiring

by("play").addEventListener("click", toggle);
by("back").addEventListener("click", () => goTo(at - 1));
by("next").addEventListener("click", () => goTo(at + 1));
by("repeat").addEventListener("click", (event) => { isRepeating = press(event.currentTarget, !isRepeating); });
by("shadow").addEventListener("click", (event) => { isShadowing = press(event.currentTarget, !isShadowing); });
by("speed").addEventListener("change", () => setSpeed(speed()));
by("voice").addEventListener("change", () => {
  stored.set("voice", by("voice").value);
  chooseVoice(speechSynthesis.getVoices());
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") changeSpeed(1);
  if (event.key === "-") changeSpeed(-1);
});
document.querySelector(".lesson-text").addEventListener("click", (event) => {
  const sentence = event.target.closest(".sentence");
  if (!sentence || (!sound && engine === recorded)) return;
  goTo(sentences.indexOf(sentence));
  if (!engine.isPlaying) engine.play();
});

if (sound) {
  sound.removeAttribute("controls");
  by("controls").hidden = false;
  sound.preservesPitch = true;
  sound.addEventListener("play", () => { showState(); recorded.setSpeed(); watch(); });
  sound.addEventListener("pause", () => { showState(); if (!sound.ended) save(); });
  sound.addEventListener("seeked", follow);
  sound.addEventListener("timeupdate", () => { // also while the screen is off
    follow();
    if (!sound.paused && Date.now() - savedAt > SAVE_EVERY) save();
  });
  sound.addEventListener("ended", () => {
    if (isRepeating) { goTo(sentences.length - 1); engine.play(); } else save({ isHeard: true });
  });
  for (const name of ["loadedmetadata", "play", "pause", "seeked", "ratechange"]) sound.addEventListener(name, tellPosition);
  sound.addEventListener("error", () => say("The sound cannot be loaded."));
  by("seek").addEventListener("input", () => {
    stopTurn();
    sound.currentTime = (by("seek").value / 1000) * sound.duration;
  });
  sound.readyState >= 1 ? resume() : sound.addEventListener("loadedmetadata", resume, { once: true });
  addEventListener("pagehide", () => { if (!sound.paused) save(); });
}
by("speed").value = SPEEDS.includes(Number(stored.get("speed"))) ? stored.get("speed") : "1";

if ("mediaSession" in navigator) {
  navigator.mediaSession.metadata = new MediaMetadata({
    title: by("title").textContent.trim(),
    artist: by("publisher").textContent.trim(),
    album: `Listen, ${lesson.dataset.level}`,
    artwork: [{ src: "/podcast-cover.png", sizes: "1400x1400", type: "image/png" }],
  });
  const handlers = {
    play: () => { stopTurn(); engine.play(); },
    pause: () => { stopTurn(); engine.pause(); },
    previoustrack: () => goTo(at - 1),
    nexttrack: () => goTo(at + 1),
    seekbackward: () => goTo(at - 1),
    seekforward: () => goTo(at + 1),
    seekto: (details) => { if (sound) sound.currentTime = details.seekTime; },
  };
  for (const [name, handler] of Object.entries(handlers)) navigator.mediaSession.setActionHandler(name, handler);
}

if ("speechSynthesis" in window) {
  listVoices();
  speechSynthesis.addEventListener("voiceschanged", listVoices);
}
