const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortClock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const announcer = document.querySelector("#announcer");

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (isNaN(moment)) continue;
    time.textContent = "full" in time.dataset ? moment.toLocaleString() : clock.format(moment);
    time.title = moment.toLocaleString();
  }
}

// By the emulator's clock, which dates the cards.
function tick() {
  const now = shortClock.format(new Date(Date.now() + 1000 * Number(document.body.dataset.advanced ?? 0)));
  for (const place of document.querySelectorAll(".clock")) if (place.textContent !== now) place.textContent = now;
}

function parse(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  localTimes(holder.content);
  return holder.content;
}
