// The service worker of Listen: the network first, and what is kept on the device without it; sound is kept first.

const KEPT = "listen-1";
const SOUND = /^\/api\/v1\/lessons\/\d+\/audio\.mp3$/;
const DICTIONARY = /^\/api\/v1\/lessons\/\d+\/words$/;
const PATIENCE = 3_000; // milliseconds, for a page that is kept
const ABSENT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>No connection - Listen</title></head>
<body><h1>No connection</h1><p>This page is not kept on the device. <a href="/listen">Listen</a> has the lessons that are.</p></body></html>`;
const PAGE_FILES = /(?:href|src)="(\/static\/[^"]+)"/g;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => {
  if (event.data.keep) event.waitUntil(keep(event.data.keep, event.source));
});

// Stores what is new, a page with its files, and only then deletes the rest.
async function keep(addresses, client) {
  const cache = await caches.open(KEPT);
  const wanted = new Set(addresses.map(absolute));
  let kept = 0;
  let failed = 0;
  for (const address of wanted) {
    const isStored = await store(cache, address, wanted).catch(() => false);
    if (isStored) kept += 1;
    else failed += 1;
    client?.postMessage({ kept, failed, wanted: wanted.size });
  }
  if (failed || !addresses.some((address) => address.includes("/audio.mp3"))) return;
  for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
}

function absolute(address) {
  return new URL(address, self.location.origin).href;
}

async function store(cache, address, wanted) {
  const { pathname } = new URL(address);
  const isUnchanging = pathname.startsWith("/static/") || SOUND.test(pathname) || DICTIONARY.test(pathname);
  if (isUnchanging && (await cache.match(address))) return true;
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok || response.redirected) return false;
  if (response.headers.get("Content-Type")?.startsWith("text/html")) {
    for (const [, file] of (await response.clone().text()).matchAll(PAGE_FILES)) wanted.add(absolute(file.replaceAll("&amp;", "&")));
  }
  await cache.put(address, response);
  return true;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (SOUND.test(pathname)) event.respondWith(sound(request));
  else if (pathname.startsWith("/static/") || DICTIONARY.test(pathname)) event.respondWith(first(request));
  else if (pathname === "/listen" || pathname.startsWith("/listen/art_")) event.respondWith(page(request));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch(absent));
});

async function first(request) {
  return (await caches.match(request.url)) ?? fetch(request);
}

async function page(request) {
  const found = await caches.match(request.url, { ignoreSearch: true });
  const answer = fetch(request);
  if (!found) return request.mode === "navigate" ? answer.catch(absent) : answer;
  const usable = answer.then((response) => (response.status < 500 ? response : found), () => found);
  return Promise.race([usable, new Promise((resolve) => setTimeout(resolve, PATIENCE, found))]);
}

function absent() {
  return new Response(ABSENT, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

// A player asks for parts, and a stored response is whole: the part is cut out of it.
async function sound(request) {
  const whole = await caches.match(request.url);
  if (!whole) return fetch(request);
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("Range") ?? "");
  if (!range) return whole;
  const body = await whole.arrayBuffer();
  const begin = Number(range[1]);
  const last = range[2] ? Math.min(Number(range[2]), body.byteLength - 1) : body.byteLength - 1;
  if (begin > last) return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${body.byteLength}` } });
  const headers = { "Content-Type": "audio/mpeg", "Content-Range": `bytes ${begin}-${last}/${body.byteLength}`, "Accept-Ranges": "bytes" };
  return new Response(body.slice(begin, last + 1), { status: 206, headers });
}
