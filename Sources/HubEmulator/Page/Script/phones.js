const mostPhones = 60, mostCards = 6, mostSends = 20;
const phone = (key) => document.querySelector(`[data-phone="${CSS.escape(key)}"]`);

function showPhone(html) {
  const list = document.querySelector("#phone-list");
  const fresh = parse(html).querySelector(".phone");
  const old = phone(fresh.dataset.phone);
  if (old) mergePhone(old, fresh);
  else if ("first" in document.body.dataset) {
    document.querySelector(".empty-page")?.remove();
    fresh.classList.add("new");
    list.prepend(fresh);
    while (list.children.length > mostPhones) list.lastElementChild.remove();
  } else return;
  const newest = (old ?? fresh).querySelector(".card.new, .phone.new .card");
  if (newest) announce(fresh.dataset.phone, newest);
}

// New cards slide in; existing ones stay unchanged, including open details.
function mergePhone(old, fresh) {
  const cards = old.querySelector(".cards");
  const known = new Set([...cards.children].map((card) => card.dataset.number));
  let place = cards.firstElementChild;
  for (const card of [...fresh.querySelectorAll(".card")]) {
    if (known.has(card.dataset.number)) break;
    card.classList.add("new");
    cards.insertBefore(card, place);
  }
  while (cards.children.length > mostCards) cards.lastElementChild.remove();
  old.querySelector(".total").textContent = fresh.querySelector(".total").textContent;
  if (cards.children.length) old.querySelector(".quiet")?.remove();
}

// For screen readers: at most one announcement every three seconds.
let lastAnnouncement = 0;
function announce(key, card) {
  if (Date.now() - lastAnnouncement < 3000) return;
  lastAnnouncement = Date.now();
  const words = [...card.querySelectorAll(".title, .body")].map((line) => line.textContent).join(". ");
  announcer.textContent = `${key.split("/").slice(2).join("/")}: ${words}`;
}

function showSend(html) {
  const sends = document.querySelector("#send-list");
  const fresh = parse(html).querySelector(".send");
  if (sends.querySelector(`[data-number="${CSS.escape(fresh.dataset.number)}"]`)) return;
  fresh.classList.add("new");
  sends.prepend(fresh);
  while (sends.children.length > mostSends) sends.lastElementChild.remove();
  document.querySelector("#no-sends").hidden = true;
}

function showCounts(counts) {
  let hasOtherPhones = false;
  for (const [name, text] of Object.entries(counts)) {
    const place = document.querySelector(`[data-count="${CSS.escape(name)}"]`);
    if (!place || place.textContent === text) continue;
    place.textContent = text;
    hasOtherPhones ||= name === "countDevices";
  }
  // A phone was added or removed. A full page does not change by it.
  const list = document.querySelector("#phone-list");
  if (hasOtherPhones && "first" in document.body.dataset && list.children.length < mostPhones) refresh();
}
