// What one chose stays with the browser, if that keeps anything.
function recall(name, place = "localStorage") {
  try { return window[place].getItem(`fanfare.${name}`); } catch { return null; }
}

function keep(name, value, place = "localStorage") {
  try { window[place].setItem(`fanfare.${name}`, value); } catch { /* It holds for this page. */ }
}

// A choice of the header: `show` gets it now, and when it changes, in another tab too. Pages without the header follow it.
function followChoice(name, show) {
  const field = document.querySelector(`#${name}`);
  const set = (value) => {
    show(value);
    if (field) field.value = value;
  };
  if (field) field.closest("label").hidden = false;
  field?.addEventListener("change", () => { keep(name, field.value); show(field.value); });
  addEventListener("storage", (event) => { if (event.key === `fanfare.${name}`) set(event.newValue ?? ""); });
  set(recall(name) ?? "");
}
