/// The page's script: one module. The pages are complete without it; it makes them live, filters while one types, and
/// opens a send in place.
///
/// All HTML in the events is rendered by the page's own templates, so the script does not need to escape anything.
enum PageScript {
    static let source = times + parts + live + phones + reports

    private static let times = #"""
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

        """#

    /// Pages are fetched again and their parts exchanged, so that what one types and where one reads stay.
    private static let parts = #"""
        function show(html) {
          const fresh = new DOMParser().parseFromString(html, "text/html");
          localTimes(fresh);
          for (const part of document.querySelectorAll("[data-part]")) {
            const next = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
            if (next) part.replaceChildren(...next.childNodes);
          }
          for (const name of Object.keys(document.body.dataset)) delete document.body.dataset[name];
          Object.assign(document.body.dataset, fresh.body.dataset);
          prepare(document);
          tick();
        }

        let newestRefresh = 0;
        async function refresh(address = location.href, options = {}) {
          const mine = ++newestRefresh;
          const answer = await fetch(address, { cache: "no-store", ...options });
          const html = await answer.text();
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

        """#

    private static let reports = #"""
        const dialog = document.querySelector("#detail");

        async function openReport(address) {
          const answer = await fetch(address, { cache: "no-store" });
          const report = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-report]");
          if (!report) return location.assign(address);
          localTimes(report);
          dialog.querySelector(".content").replaceChildren(report);
          prepare(dialog);
          if (!dialog.open) dialog.showModal();
          dialog.scrollTop = 0;
        }

        document.addEventListener("click", (event) => {
          const place = event.target;
          if (place === dialog || place.closest("dialog .close")) return dialog.close();
          const copy = place.closest("[data-copy]");
          if (copy) return copyText(copy);
          const link = place.closest("a[data-detail], a[data-quiet]");
          if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
          if ("detail" in link.dataset && !dialog) return;
          event.preventDefault();
          if ("detail" in link.dataset) openReport(link.href); else goTo(filtered(new URL(link.href)));
        });

        async function copyText(button) {
          const text = button.closest("section").querySelector(`[data-copied="${CSS.escape(button.dataset.copy)}"]`);
          await navigator.clipboard.writeText(text.textContent);
          button.textContent = "Copied";
        }

        // What only works with a script is hidden without it, and the other way round.
        function prepare(root) {
          for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
          for (const button of root.querySelectorAll("[data-submit]")) button.hidden = true;
        }

        localTimes(document);
        prepare(document);
        tick();
        setInterval(tick, 1000);
        if (document.body.dataset.events) connect();
        """#
}
