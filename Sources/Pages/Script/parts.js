const pageOf = (html) => new DOMParser().parseFromString(html, "text/html");

// Exchanges the parts for those of another page. `takes` says of each, with its next one, whether it is exchanged.
function exchange(fresh, takes = () => true) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const next = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (next && takes(part, next)) part.replaceChildren(...next.childNodes);
  }
  for (const name of Object.keys(document.body.dataset)) delete document.body.dataset[name];
  Object.assign(document.body.dataset, fresh.body.dataset);
}
