const utc = writer("UTC"), own = writer();
let zone = "";

// Writes moments in one zone. Without a name: that of the person who looks.
function writer(timeZone) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric", month: "2-digit", day: "2-digit",
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" });
  return (moment) => {
    const of = Object.fromEntries(format.formatToParts(moment).map((part) => [part.type, part.value]));
    const clock = `${of.hour}:${of.minute}`;
    return { clock, zone: of.timeZoneName,
      text: `${of.year}-${of.month}-${of.day} ${clock}:${of.second} ${of.timeZoneName}` };
  };
}

// All times of a page are in one zone; the title has the other.
function showTimes(root) {
  const [shown, other] = zone === "own" ? [own, utc] : [utc, own];
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (isNaN(moment)) continue;
    const [here, there] = [shown(moment), other(moment)];
    time.title = "age" in time.dataset ? `${here.text}, ${there.text}` : there.text;
    if (!("age" in time.dataset)) setText(time, "clock" in time.dataset ? here.clock : here.text);
  }
  for (const name of root.querySelectorAll("[data-zone]")) setText(name, shown(new Date()).zone);
}

// Not without a change: that would end a selection.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Milliseconds from the browser's clock, which may be wrong, to the server's.
let ahead = 0;
function setClock(page) {
  const moment = Date.parse(page.querySelector("#clock")?.textContent);
  if (moment) ahead = moment - Date.now();
}

// As HumanFormat.duration of the server.
function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000)), minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  if (days) return `${days} d ${hours % 24} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min` : `${seconds} s`;
}

function showAges() {
  const now = Date.now() + ahead;
  for (const age of document.querySelectorAll("time[data-age][datetime]")) {
    const moment = Date.parse(age.dateTime);
    if (isNaN(moment)) continue;
    setText(age, duration(age.dataset.age === "until" ? moment - now : now - moment));
  }
}
