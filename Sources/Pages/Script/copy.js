// A button copies what stands in its section under the same name.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.closest("section").querySelector(`[data-copied="${CSS.escape(button.dataset.copy)}"]`);
  await navigator.clipboard.writeText(text.textContent);
  button.textContent = "Copied";
});

// Without a script, or over plain HTTP, a browser has no clipboard.
function showCopyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
}
