// Shows what is being made (`data-pending`) as it changes, until it is ready; without it the reader reloads the page.

const EVERY = 3_000; // milliseconds
const MOST = 60; // attempts without a change: three minutes

const pending = () => [...document.querySelectorAll("[data-pending][id]")];

async function look() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const changed = pending().flatMap((old) => {
    const now = page.getElementById(old.id);
    return now && now.outerHTML !== old.outerHTML ? [[old, now]] : [];
  });
  changed.forEach(([old, now]) => old.replaceWith(now));
  return changed.length > 0;
}

async function wait(left) {
  if (left === 0 || pending().length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, EVERY));
  const hasChanged = document.hidden ? false : await look().catch(() => false);
  await wait(hasChanged ? MOST : left - 1);
}

wait(MOST);
