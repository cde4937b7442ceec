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

function isChanged(field) {
  if (!field.options) return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
  const chosen = [...field.options].filter((option) => option.defaultSelected);
  return field.selectedIndex !== (chosen.at(-1)?.index ?? 0);
}

// Also before the script was there, or by a browser that brings back what a page had.
const isTypedIn = (root) => [...root.querySelectorAll("input, select, textarea")].some(isChanged);
