// Shows a summary that is being written once it is ready; without it the reader reloads the page.

const EVERY = 3_000; // milliseconds
const MOST = 60; // attempts: three minutes

async function look() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const now = page.getElementById("summary");
  if (!now || now.hasAttribute("data-pending")) return false;
  document.getElementById("summary").replaceWith(now);
  return true;
}

async function wait(left) {
  if (left === 0) return;
  await new Promise((resolve) => setTimeout(resolve, EVERY));
  const isReady = document.hidden ? false : await look().catch(() => false);
  if (!isReady) await wait(left - 1);
}

wait(MOST);
