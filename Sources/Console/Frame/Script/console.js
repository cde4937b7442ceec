// First: parts are remembered as the server sent them.
follow();
setClock(document);
showCopyButtons(document);
// "": as the system.
followChoice("theme", (theme) => { document.documentElement.dataset.theme = theme; });
followChoice("zone", (choice) => {
  zone = choice;
  showTimes(document);
});
showAges();
