// Sends where a learner stopped; what cannot be sent waits on the device for a connection.

const NAME = `listen.outbox.${document.querySelector("[data-known]")?.dataset.known}`; // of one person

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

async function put([url, body]) {
  const options = { method: "PUT", body: JSON.stringify(body), keepalive: true, headers: { "Content-Type": "application/json" } };
  const response = await fetch(url, options).catch(() => null);
  if (!response || [401, 429].includes(response.status) || response.status >= 500) return false;
  change((waiting) => { if (waiting[url]?.at === body.at) delete waiting[url]; });
  return body.is_heard;
}

// Of each lesson the last place is sent, and that it was heard.
globalThis.sendPlace = (url, body) => {
  change((waiting) => {
    body.is_heard ||= waiting[url]?.is_heard ?? false;
    waiting[url] = body;
  });
  put([url, body]);
};

async function sendAll() {
  const heard = await Promise.all(Object.entries(change(() => {})).map(put));
  if (heard.includes(true) && location.pathname === "/listen") location.reload(); // its counts have changed
}

addEventListener("online", sendAll);
sendAll();
