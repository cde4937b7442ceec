function show(html) {
  const fresh = pageOf(html);
  localTimes(fresh);
  exchange(fresh);
  prepare(document);
  tick();
}

let newestRefresh = 0;
async function refresh(address = location.href, options = {}) {
  const mine = ++newestRefresh;
  let answer, html;
  try {
    answer = await fetch(address, { cache: "no-store", ...options });
    html = await answer.text();
  } catch {
    // Nobody answers. Where events come, they say so, and the page is fetched when they come again.
    if (mine === newestRefresh && !events) location.assign(address);
    return;
  }
  // A newer one is on its way: this one is out of date.
  if (mine !== newestRefresh) return;
  if (!answer.ok) return location.assign(address);
  show(html);
  // What arrived while the page was fetched comes again, and shows what is missing.
  if (events) connect();
}

// The address first: what one does next, while this is fetched, begins with it.
function goTo(address) {
  clearTimeout(typing);
  history.replaceState(null, "", address);
  return refresh(address);
}

// With the fields of all filters: a form has only its own, and a link those of when it was made.
function filtered(address) {
  for (const name of ["page", "after"]) address.searchParams.delete(name);
  for (const field of document.querySelectorAll("form[data-live] [name]:not([type=hidden])")) {
    if (field.value) address.searchParams.set(field.name, field.value);
    else address.searchParams.delete(field.name);
  }
  return address.href;
}

function filterAddress(form) {
  const address = new URL(form.getAttribute("action"), location.href);
  if (address.pathname === location.pathname) address.search = location.search;
  return filtered(address);
}

let typing;
function filterSoon(form) {
  clearTimeout(typing);
  typing = setTimeout(() => goTo(filterAddress(form)), 200);
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (form) filterSoon(form);
});

for (const form of document.querySelectorAll("form[data-live]")) if (isTypedIn(form)) filterSoon(form);

document.addEventListener("submit", (event) => {
  const form = event.target;
  if ("live" in form.dataset) {
    event.preventDefault();
    goTo(filterAddress(form));
  } else if ("quiet" in form.dataset && live) {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    refresh(form.action, { method: "POST", body });
  }
});
