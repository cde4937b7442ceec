const live = document.querySelector("#live");
const pause = document.querySelector("#pause");
const seconds = () => Number(document.body.dataset.live) || 0;
let isPaused = recall("paused", "sessionStorage") === "yes";
// `mark`: the server does not send again what we have.
let mark, timer, asking, failures = 0;
// Of each part: what it shows, as the server sent it; what is newer, and waits while the part is in use.
const shown = new WeakMap(), waiting = new Map();

// Ages go on by themselves: their text makes no difference.
function sourceOf(part) {
  const copy = part.cloneNode(true);
  for (const age of copy.querySelectorAll("time[data-age]")) age.textContent = "";
  return copy.innerHTML;
}

function isUsed(part) {
  const selection = getSelection(), focus = document.activeElement;
  return focus !== part && part.contains(focus)
    || part.querySelector("details[open]")
    || !selection.isCollapsed && selection.containsNode(part, true)
    || isTypedIn(part);
}

function takes(part, next) {
  const source = sourceOf(next);
  waiting.delete(part);
  if (source === shown.get(part)) part.querySelector(".news")?.remove();
  else if (isUsed(part)) wait(part, next);
  else return shown.set(part, source);
}

function wait(part, next) {
  waiting.set(part, next);
  if (part.querySelector(".news")) return;
  const news = document.createElement("button");
  news.type = "button";
  news.className = "news";
  news.textContent = "New: show";
  news.addEventListener("click", () => {
    apply(part);
    // The button is gone; the focus stays here.
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
    setLive("on");
  });
  part.prepend(news);
}

function apply(part) {
  const next = waiting.get(part);
  waiting.delete(part);
  shown.set(part, sourceOf(next));
  part.replaceChildren(...next.childNodes);
  finish();
}

function finish() {
  showTimes(document);
  showAges();
  showCopyButtons(document);
}

function setLive(state, words) {
  const news = waiting.size ? `, new: ${waiting.size}` : "";
  setText(live, words ?? { on: `live${news}`, paused: "paused", over: "changes no more" }[state]);
  live.classList.toggle("on", state === "on");
  live.classList.toggle("off", state !== "on" && state !== "over");
  pause.hidden = state === "over";
  pause.textContent = isPaused ? "Go on" : "Pause";
}

async function look() {
  clearTimeout(timer);
  if (asking || isPaused || document.hidden || !seconds()) return;
  asking = new AbortController();
  const limit = setTimeout(() => asking?.abort(), 20_000);
  let trouble;
  try {
    trouble = await ask(asking.signal);
  } catch {
    trouble = "no answer";
  } finally {
    clearTimeout(limit);
    asking = undefined;
  }
  if (isPaused) return;
  failures = trouble ? failures + 1 : 0;
  const next = trouble ? Math.min(30, seconds() * 2 ** failures) : seconds();
  if (trouble) setLive("off", `${trouble}, next try in ${next} s`);
  else setLive(next ? "on" : "over");
  if (next) timer = setTimeout(look, next * 1000);
}

// Returns what is wrong, in words.
async function ask(signal) {
  const headers = { "X-Fanfare-Live": "1", ...(mark && { "If-None-Match": mark }) };
  const answer = await fetch(location.href, { cache: "no-store", headers, signal });
  // Nobody is signed in any more: the page itself leads to where one can. What was typed on it would be lost.
  if (answer.status === 401 || answer.redirected) {
    if (isTypedIn(document.querySelector("main"))) return "signed out: sign in in another tab";
    location.reload();
    return "signed out";
  }
  if (answer.status !== 304) {
    if (!answer.ok) return { 403: "not allowed any more", 404: "gone: load the page again" }[answer.status] ?? `answer ${answer.status}`;
    const html = await answer.text();
    if (isPaused) return;
    mark = answer.headers.get("ETag");
    update(pageOf(html));
  }
  for (const part of [...waiting.keys()]) if (!isUsed(part)) apply(part);
}

function update(fresh) {
  setClock(fresh);
  exchange(fresh, takes);
  document.title = fresh.title;
  finish();
}

function follow() {
  for (const part of document.querySelectorAll("[data-part]")) shown.set(part, sourceOf(part));
  if (!seconds()) return;
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    keep("paused", isPaused ? "yes" : "", "sessionStorage");
    setLive(isPaused ? "paused" : "on");
    if (isPaused) asking?.abort();
    else look();
  });
  document.addEventListener("visibilitychange", look);
  addEventListener("online", look);
  // What is shown is as old as the last answer: ages stand still when no more come.
  setInterval(() => { if (live.classList.contains("on")) showAges(); }, 1000);
  setLive(isPaused ? "paused" : "on");
  timer = setTimeout(look, seconds() * 1000);
}
