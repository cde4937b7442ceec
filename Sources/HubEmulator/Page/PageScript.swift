/// The page's script: one module with one `EventSource`. The page is complete without it; the script makes it live.
///
/// All HTML in the events is rendered by the page's own templates, so the script does not need to escape anything.
enum PageScript {
    static let source = #"""
        const list = document.querySelector("#phone-list");
        const live = document.querySelector("#live");
        const announcer = document.querySelector("#announcer");
        const sends = document.querySelector("#send-list");
        const isFirst = "first" in document.body.dataset;
        const mostPhones = 60, mostCards = 6, mostSends = 20;

        const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
        const shortClock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });

        function localTimes(root) {
          for (const time of root.querySelectorAll("time[datetime]")) {
            const moment = new Date(time.dateTime);
            if (!isNaN(moment)) { time.textContent = clock.format(moment); time.title = moment.toLocaleString(); }
          }
        }

        function tick() {
          const now = shortClock.format(new Date());
          for (const place of document.querySelectorAll(".clock")) if (place.textContent !== now) place.textContent = now;
        }

        function parse(html) {
          const holder = document.createElement("template");
          holder.innerHTML = html;
          localTimes(holder.content);
          return holder.content;
        }

        const phones = new Map();
        for (const phone of list.children) phones.set(phone.dataset.phone, phone);

        function showPhone(html) {
          const fresh = parse(html).querySelector(".phone");
          const old = phones.get(fresh.dataset.phone);
          if (old) mergePhone(old, fresh);
          else if (isFirst) {
            document.querySelector(".empty-page")?.remove();
            fresh.classList.add("new");
            list.prepend(fresh);
            phones.set(fresh.dataset.phone, fresh);
            while (list.children.length > mostPhones) {
              phones.delete(list.lastElementChild.dataset.phone);
              list.lastElementChild.remove();
            }
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
          const fresh = parse(html).querySelector(".send");
          if (sends.querySelector(`[data-number="${CSS.escape(fresh.dataset.number)}"]`)) return;
          fresh.classList.add("new");
          sends.prepend(fresh);
          while (sends.children.length > mostSends) sends.lastElementChild.remove();
          document.querySelector("#no-sends").hidden = true;
        }

        function showCounts(counts) {
          for (const [name, text] of Object.entries(counts)) {
            const place = document.querySelector(`[data-count="${CSS.escape(name)}"]`);
            if (place && place.textContent !== text) place.textContent = text;
          }
          // The first devices have been registered.
          if (document.querySelector(".empty-page.unfiltered") && counts.countDevices !== "0") location.reload();
        }

        function setLive(isLive) {
          live.textContent = isLive ? "live" : "reconnecting…";
          live.classList.toggle("on", isLive);
          live.classList.toggle("off", !isLive);
        }

        const events = new EventSource(document.body.dataset.events);
        events.addEventListener("error", () => setLive(false));
        let wasLive = false;
        events.addEventListener("hello", (event) => {
          // Another emulator listens here now, or this page missed events: reload it.
          if (wasLive || JSON.parse(event.data).instance !== document.body.dataset.instance) location.reload();
          wasLive = true;
          setLive(true);
        });
        events.addEventListener("reload", () => location.reload());
        events.addEventListener("phone", (event) => showPhone(event.data));
        events.addEventListener("send", (event) => showSend(event.data));
        events.addEventListener("counts", (event) => showCounts(JSON.parse(event.data)));
        events.addEventListener("warnings", (event) => {
          document.querySelector("#warnings").replaceChildren(parse(event.data));
        });
        events.addEventListener("faults", (event) => {
          document.querySelector("#faults").replaceChildren(parse(event.data));
        });
        // Otherwise a page in the back/forward cache keeps one of the browser's few connections to this address.
        addEventListener("pagehide", () => events.close());
        addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

        localTimes(document);
        tick();
        setInterval(tick, 1000);
        """#
}
