// Saves the chart of the page as a picture, and opens the evidence of a bar that is clicked.

const chart = document.querySelector(".chart");
const save = document.querySelector("[data-save-chart]");

if (chart && save) {
  save.hidden = false;
  save.addEventListener("click", () => {
    chart.querySelector("canvas").toBlob((picture) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(picture);
      link.download = save.dataset.saveChart;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  });
}

if (chart?.dataset.opens === "rows") {
  const rows = document.getElementById(chart.dataset.table).tBodies[0].rows;
  chart.addEventListener("click", (event) => {
    const over = event.target.closest(".u-over");
    if (!over) return;
    const place = (event.clientX - over.getBoundingClientRect().left) / over.clientWidth;
    // The axis begins before the middle of the first bar and ends behind that of the last, see charts.js.
    const index = Math.round(place * (rows.length + 0.2) - 0.6);
    rows[Math.min(Math.max(index, 0), rows.length - 1)].querySelector("a").click();
  });
}
