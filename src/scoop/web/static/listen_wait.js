// Shows a lesson, and then its recording, once it is ready; without it the reader reloads the page.

const EVERY = 1_000; // milliseconds; a lesson is spoken within seconds
const MOST = 300; // attempts
const signs = (page) => ["lesson", "speaking", "sound"].map((id) => page.getElementById(id)?.hasAttribute("data-pending") ?? Boolean(page.getElementById(id)));

async function isChanged() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const hasText = (which) => Boolean(which.querySelector(".sentence"));
  return hasText(page) !== hasText(document) || String(signs(page)) !== String(signs(document));
}

async function wait(left) {
  if (left === 0) return;
  await new Promise((resolve) => setTimeout(resolve, EVERY));
  if (!document.hidden && (await isChanged().catch(() => false))) location.reload();
  else await wait(left - 1);
}

wait(MOST);
