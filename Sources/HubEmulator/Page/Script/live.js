const live = document.querySelector("#live");
const pause = document.querySelector("#pause");
let events;

function setLive(state) {
  live.textContent = { on: "live", off: "reconnecting…", paused: "paused" }[state];
  live.classList.toggle("on", state === "on");
  live.classList.toggle("off", state !== "on");
  pause.hidden = false;
  pause.textContent = state === "paused" ? "Go on" : "Pause";
}

let isPaused = false;
pause?.addEventListener("click", async () => {
  isPaused = !isPaused;
  if (isPaused) {
    events.close();
    return setLive("paused");
  }
  refresh();
});

// Another emulator listens here now: everything is different, the hubs too.
function greet(hello, isFirst) {
  if (hello.instance !== document.body.dataset.instance) return location.reload();
  if (!isFirst) refresh();
  setLive("on");
}

function connect() {
  events?.close();
  if (isPaused) return;
  const source = events = new EventSource(document.body.dataset.events);
  let isFirst = true;
  source.addEventListener("error", () => { if (events === source && !isPaused) setLive("off"); });
  source.addEventListener("hello", (event) => {
    greet(JSON.parse(event.data), isFirst);
    isFirst = false;
  });
  source.addEventListener("refresh", () => refresh());
  source.addEventListener("phone", (event) => showPhone(event.data));
  source.addEventListener("send", (event) => showSend(event.data));
  source.addEventListener("counts", (event) => showCounts(JSON.parse(event.data)));
  source.addEventListener("clock", (event) => {
    const moved = JSON.parse(event.data);
    document.body.dataset.advanced = moved.seconds;
    document.querySelector("#clock").replaceChildren(parse(moved.html));
    tick();
  });
  for (const name of ["warnings", "faults"]) {
    source.addEventListener(name, (event) => document.querySelector(`#${name}`).replaceChildren(parse(event.data)));
  }
}

// Otherwise a page in the back/forward cache keeps one of the browser's few connections to this address.
addEventListener("pagehide", () => events?.close());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
