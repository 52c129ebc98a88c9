// Sends where a learner stopped and which words were added; what cannot be sent waits on the device for a connection.

const NAME = `listen.outbox.${document.querySelector("[data-known]")?.dataset.known}`; // of one person
const WORDS = "/api/v1/learner/words";
const SHOWING_COUNTS = ["/listen", "/listen/words"]; // pages that change when something was sent

function change(edit) {
  try {
    const waiting = JSON.parse(localStorage.getItem(NAME)) ?? {};
    edit(waiting);
    localStorage.setItem(NAME, JSON.stringify(waiting));
    return waiting;
  } catch {
    return {}; // private windows have no storage
  }
}

async function send([url, body]) {
  const method = url.startsWith(WORDS) ? "POST" : "PUT";
  const options = { method, body: JSON.stringify(body), keepalive: true, headers: { "Content-Type": "application/json" } };
  const response = await fetch(url, options).catch(() => null);
  if (!response || [401, 429].includes(response.status) || response.status >= 500) return "waiting";
  change((waiting) => { if (waiting[url]?.at === body.at) delete waiting[url]; });
  return response.ok ? "sent" : "refused";
}

// Of each lesson the last place is sent, and that it was heard.
globalThis.sendPlace = (url, body) => {
  change((waiting) => {
    body.is_heard ||= waiting[url]?.is_heard ?? false;
    waiting[url] = body;
  });
  send([url, body]);
};

// The part behind # keeps the words that wait apart; browsers do not send it.
globalThis.sendWord = (body) => {
  const url = `${WORDS}#${body.word} ${body.word_class}`;
  change((waiting) => { waiting[url] = body; });
  return send([url, body]);
};

async function sendAll() {
  const waiting = Object.entries(change(() => {}));
  const outcomes = await Promise.all(waiting.map(send));
  const counts = ([url, body], place) => outcomes[place] === "sent" && (body.is_heard || url.startsWith(WORDS));
  if (waiting.some(counts) && SHOWING_COUNTS.includes(location.pathname)) location.reload();
}

addEventListener("online", sendAll);
sendAll();
