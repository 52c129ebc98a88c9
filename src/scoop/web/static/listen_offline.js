// Keeps the lessons of the latest day on the device: the service worker stores their pages and sound.

const status = document.getElementById("offline");
const kept = document.querySelector("[data-keep]")?.dataset.keep.split(" ") ?? [];

function show(text) {
  status.textContent = text;
  status.hidden = !text;
}

async function keep() {
  const registration = await navigator.serviceWorker.register("/listen/worker.js", { scope: "/listen" });
  await navigator.serviceWorker.ready;
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.kept === data.wanted) show(data.wanted ? "Kept on this device" : "");
    else show(data.failed ? "Not all could be kept on this device" : `Keeping ${data.kept} of ${data.wanted}`);
  });
  const files = [...document.querySelectorAll("link[rel=stylesheet], script[src], link[rel=icon]")].map((each) => each.href ?? each.src);
  const sources = [...document.querySelectorAll("script[src]")].map((each) => each.src);
  const pages = new Set([location.pathname, ...files.filter(Boolean), ...sources, ...kept]);
  registration.active.postMessage({ keep: [...pages] });
}

if ("serviceWorker" in navigator) keep().catch(() => show("This browser keeps nothing for offline use"));
