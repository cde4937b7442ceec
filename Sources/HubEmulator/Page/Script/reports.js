const dialog = document.querySelector("#detail");

async function openReport(address) {
  const answer = await fetch(address, { cache: "no-store" });
  const report = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-report]");
  if (!report) return location.assign(address);
  localTimes(report);
  dialog.querySelector(".content").replaceChildren(report);
  prepare(dialog);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

document.addEventListener("click", (event) => {
  const place = event.target;
  if (place === dialog || place.closest("dialog .close")) return dialog.close();
  const link = place.closest("a[data-detail], a[data-quiet]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if ("detail" in link.dataset && !dialog) return;
  event.preventDefault();
  if ("detail" in link.dataset) openReport(link.href); else goTo(filtered(new URL(link.href)));
});

// What only works with a script is hidden without it, and the other way round.
function prepare(root) {
  showCopyButtons(root);
  for (const button of root.querySelectorAll("[data-submit]")) button.hidden = true;
}

localTimes(document);
prepare(document);
tick();
setInterval(tick, 1000);
if (document.body.dataset.events) connect();
