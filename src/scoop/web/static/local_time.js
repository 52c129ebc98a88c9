// Shows times on hover in the reader's own timezone.

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const date = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

for (const time of document.querySelectorAll("time[datetime*='T']")) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.valueOf())) continue;
  time.title = `${date.format(moment).replace(",", "")}, ${clock.format(moment)} (${timeZone})`;
}
