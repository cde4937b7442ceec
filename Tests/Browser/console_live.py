"""What the style and the script of the console make of a page: live, dark, narrow, by keyboard, hostile, without script.

See checks.py. WHERE has the files of a page in several versions (ConsoleBrowserTests); a server here stands in for the console's.
"""

import hashlib
import http.server
import pathlib
import sys
import threading

from checks import check, check_accessibility, expect, run, screenshot, watched_page

FILES = pathlib.Path(sys.argv[1])
POLICY = (FILES / "policy").read_text()
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
WIDE = {"width": 1280, "height": 900}


class Site:
    """What the server shows at `/`, and what it was asked."""
    page = "1.html"
    # Instead of the page: a status, or None for a connection that is closed without an answer.
    trouble = 200
    asked = []

    def live(self):
        """The times that a script asked."""
        return len([one for one in self.asked if one[0] == "/" and one[1]])


SITE = Site()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        is_live = self.headers["X-Fanfare-Live"] is not None
        if path == "/":
            if SITE.trouble is None:
                SITE.asked.append((path, is_live, 0))
                self.close_connection = True
                return
            name = "again.html" if "live=10" in self.path else SITE.page
            body = (FILES / name).read_bytes()
            mark = '"' + hashlib.sha256(body).hexdigest()[:22] + '"'
            if SITE.trouble == 401:
                self.answer(401, b"<!doctype html><html lang='en'><title>Sign in</title><h1>Sign in</h1>", is_live=is_live)
            elif SITE.trouble != 200:
                self.answer(SITE.trouble, b"busy", is_live=is_live)
            elif self.headers["If-None-Match"] == mark:
                self.answer(304, b"", mark=mark, is_live=is_live)
            else:
                self.answer(200, body, mark=mark, is_live=is_live)
        elif (FILES / path[1:]).is_file():
            self.answer(200, (FILES / path[1:]).read_bytes(), pathlib.Path(path).suffix)
        else:
            self.answer(404, b"none")

    def answer(self, status, body, suffix=".html", mark=None, is_live=False):
        SITE.asked.append((self.path.partition("?")[0], is_live, status))
        self.send_response(status)
        self.send_header("Content-Type", TYPES[suffix] + "; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        if mark:
            self.send_header("ETag", mark)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def show(page, name):
    SITE.page = f"{name}.html"
    expect(page.locator("#pending")).to_contain_text(f"version {name}")


def part(page, name):
    return page.locator(f'[data-part="{name}"]')


def texts(page, selector):
    return page.locator(selector).all_text_contents()


def wait(page, condition, what):
    """For what no element shows."""
    for _ in range(300):
        if condition():
            return
        page.wait_for_timeout(100)
    check(False, what)


def check_parts(page):
    """Parts follow, without a reload; those in use do not."""
    live = page.locator("#live")
    expect(live).to_have_text("live")
    page.evaluate("""window.notReloaded = true; window.same = document.querySelector("#same")""")
    show(page, 2)
    expect(page).to_have_title("Overview 2 – production – Fanfare")
    check(page.evaluate("window.same.isConnected"), "a part that did not change was exchanged")
    wait(page, lambda: [one[2] for one in SITE.asked].count(304) > 1, "the server sent again what the page has")

    # A ticked box, an open details, a selection, and a link with the focus.
    part(page, "chosen").get_by_role("checkbox").check()
    page.evaluate("document.activeElement.blur()")
    part(page, "opened").locator("summary").click()
    page.evaluate("document.activeElement.blur()")
    page.evaluate("""getSelection().selectAllChildren(document.querySelector("#words"))""")
    part(page, "hubs").get_by_role("link").first.focus()
    show(page, 3)
    expect(page.locator(".news")).to_have_count(4)
    expect(live).to_have_text("live, new: 4")
    for name, words in [("chosen", "Messages, version 2"), ("opened", "Steps, version 2"), ("read", "Words, version 2")]:
        expect(part(page, name).locator("h2")).to_have_text(words)
    check(part(page, "chosen").get_by_role("checkbox").is_checked(), "a box lost its tick")
    check(page.evaluate("getSelection().toString()").strip() == "Words to select.", "a selection was lost")
    check(page.evaluate("document.activeElement.tagName") == "A", "the focus was lost")
    check_accessibility(page, "parts that wait")
    screenshot(page, "console-new")

    # A click shows it; what is no longer in use follows by itself.
    part(page, "opened").get_by_role("button", name="New: show").click()
    expect(part(page, "opened").locator("h2")).to_have_text("Steps, version 3")
    check(page.evaluate("document.activeElement.dataset.part") == "opened", "the focus went to the top of the page")
    part(page, "chosen").get_by_role("checkbox").uncheck()
    page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()")
    expect(page.locator(".news")).to_have_count(0)
    expect(part(page, "chosen").locator("h2")).to_have_text("Messages, version 3")
    expect(part(page, "read").locator("h2")).to_have_text("Words, version 3")
    expect(live).to_have_text("live")

    # A field that was written in, and another choice.
    part(page, "chosen").get_by_role("textbox").fill("mine")
    page.evaluate("document.activeElement.blur()")
    show(page, 4)
    expect(page.locator(".news")).to_have_count(1)
    check(part(page, "chosen").get_by_role("textbox").input_value() == "mine", "a field was overwritten")
    part(page, "chosen").get_by_role("textbox").fill("3")
    part(page, "chosen").get_by_role("combobox").select_option("failed")
    page.evaluate("document.activeElement.blur()")
    show(page, 5)
    expect(page.locator(".news")).to_have_count(1)
    part(page, "chosen").get_by_role("combobox").select_option("any")
    page.evaluate("document.activeElement.blur()")
    expect(part(page, "chosen").get_by_role("textbox")).to_have_value("5")
    check(page.evaluate("window.notReloaded"), "the page reloaded itself")


def check_times(page):
    """One zone on a page; ages by the server's clock, in the server's words."""
    check(texts(page, "#since") == ["2027-01-15 08:00:30 UTC"], f"a time: {texts(page, '#since')}")
    # Five seconds are six by now.
    expect(page.locator("#ages time").first).not_to_have_text("5 s")
    ages = texts(page, "#ages time")[1:]
    check(ages == ["1 min", "2 h 5 min", "3 d 2 h"], f"ages: {ages}")
    title = page.locator("#ages time").first.get_attribute("title")
    check(title == "2027-01-15 08:00:25 UTC, 2027-01-15 03:00:25 GMT-5", f"the title of an age: {title}")
    page.get_by_label("Times").select_option("own")
    expect(page.locator("#since")).to_have_text("2027-01-15 03:00:30 GMT-5")
    title = page.locator("#since time").get_attribute("title")
    check(title == "2027-01-15 08:00:30 UTC", f"the title of a time: {title}")
    check(set(texts(page, "[data-zone]")) == {"GMT-5"}, f"zones: {texts(page, '[data-zone]')}")
    check("02:01 to 03:01 GMT-5" in texts(page, "figcaption")[0], f"a chart: {texts(page, 'figcaption')[0]}")
    page.reload()
    expect(page.locator("#since")).to_have_text("2027-01-15 03:00:30 GMT-5")
    SITE.page = "6.html"
    expect(page.locator("#pending")).to_contain_text("version 6")
    check(set(texts(page, "[data-zone]")) == {"GMT-5"}, "a new part has another zone")
    page.get_by_label("Times").select_option("")
    expect(page.locator("#since")).to_have_text("2027-01-15 08:00:30 UTC")


def check_pause(page):
    """Nothing is asked, on whatever occasion; it stays paused on the next page."""
    page.get_by_role("button", name="Pause").first.click()
    expect(page.locator("#live")).to_have_text("paused")
    page.clock.install()
    for _ in range(2):
        asked = SITE.live()
        page.evaluate("""document.dispatchEvent(new Event("visibilitychange")); dispatchEvent(new Event("online"));
            dispatchEvent(new Event("focus"))""")
        page.clock.run_for(60_000)
        # What was asked before this has arrived before it.
        page.evaluate("""fetch("/icon.svg")""")
        check(SITE.live() == asked, "a page that is paused asked the server")
        page.reload()
        expect(page.locator("#live")).to_have_text("paused")
    SITE.page = "1.html"
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#pending")).to_contain_text("version 1")
    expect(page.locator("#live")).to_have_text("live")


def check_hidden(page):
    page.evaluate("""Object.defineProperty(document, "hidden", { get: () => window.isAway, configurable: true });
        window.isAway = true; document.dispatchEvent(new Event("visibilitychange"))""")
    page.evaluate("""fetch("/icon.svg")""")
    asked = SITE.live()
    page.clock.run_for(60_000)
    page.evaluate("""fetch("/icon.svg")""")
    check(SITE.live() == asked, "a tab that nobody sees asked the server")
    SITE.page = "2.html"
    page.evaluate("""window.isAway = false; document.dispatchEvent(new Event("visibilitychange"))""")
    expect(page.locator("#pending")).to_contain_text("version 2")


def check_troubles(page):
    live = page.locator("#live")
    SITE.trouble = 503
    for seconds in [2, 4, 8, 16, 30, 30]:
        page.clock.run_for(seconds * 1000)
        expect(live).to_have_text(f"answer 503, next try in {min(30, seconds * 2)} s")
    check(live.get_attribute("class") == "live off", "a page that gets no answer looks live")
    age = page.locator("#ages time").first.text_content()
    page.clock.run_for(20_000)
    check(page.locator("#ages time").first.text_content() == age, "an age went on although nothing is known")
    SITE.trouble = None
    page.clock.run_for(10_000)
    expect(live).to_have_text("no answer, next try in 30 s")
    check_accessibility(page, "no answer")
    SITE.trouble, SITE.page = 200, "3.html"
    page.clock.run_for(30_000)
    expect(page.locator("#pending")).to_contain_text("version 3")
    expect(live).to_have_text("live")
    # It ends: the run is done.
    SITE.page = "over.html"
    page.clock.run_for(2_000)
    expect(live).to_have_text("changes no more")
    expect(page.locator("#pause")).to_be_hidden()
    asked = SITE.live()
    page.clock.run_for(60_000)
    page.evaluate("""fetch("/icon.svg")""")
    check(SITE.live() == asked, "a page that changes no more asked the server")
    SITE.page = "1.html"
    page.reload()
    expect(live).to_have_text("live")
    # What the page is about was removed, or is no longer for this person.
    for status, words in [(404, "gone: load the page again"), (403, "not allowed any more")]:
        SITE.trouble = status
        page.clock.run_for(4_000)
        expect(live).to_contain_text(words)
    SITE.trouble = 200
    page.clock.run_for(10_000)
    expect(live).to_have_text("live")
    # Nobody is signed in any more: what was typed stays, and what was not typed in leads to where one signs in.
    box = page.get_by_role("checkbox").first
    box.check()
    SITE.trouble = 401
    page.clock.run_for(2_000)
    expect(live).to_contain_text("signed out: sign in in another tab")
    expect(box).to_be_checked()
    box.uncheck()
    page.clock.run_for(8_000)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    SITE.trouble = 200


def check_look(page):
    """Light, dark, by hand and by system, narrow and very wide."""
    page.goto(BASE + "/")
    expect(page.locator("#live")).to_have_text("live")
    check(page.evaluate("window.hacked") is None, "external markup was executed")
    check(page.locator("main img").count() == 0, "external markup became elements")
    check(page.locator("[style]").count() == 0, "an inline style")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    check_accessibility(page, "light")
    screenshot(page, "console-light", full=True)
    page.get_by_label("Colours").select_option("dark")
    check(page.evaluate(ground) != light, "dark is light")
    check_accessibility(page, "dark by hand", rules=["color-contrast"])
    screenshot(page, "console-dark", full=True)
    other = watched_page(page.context, BASE, [])
    other.goto(BASE + "/")
    check(other.evaluate(ground) == page.evaluate(ground), "another page has other colours")
    other.get_by_label("Colours").select_option("light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    check(page.evaluate(ground) == light, "another tab did not follow")
    other.close()
    page.emulate_media(color_scheme="dark")
    check(page.evaluate(ground) == light, "the system decides although one chose")
    page.get_by_label("Colours").select_option("")
    check(page.evaluate(ground) != light, "the system does not decide")
    # 320 px is also what is left of 1,280 px at 400 %.
    for width in [320, 560, 2560]:
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator("html")).to_have_js_property("clientWidth", width)
        full = page.evaluate("document.documentElement.scrollWidth")
        check(full <= width, f"wider than its window of {width}: {full}")
        is_cut = "() => [...document.querySelectorAll('.wide')].some((one) => one.scrollWidth > one.clientWidth)"
        check(width > 320 or not page.evaluate(is_cut), "a table is cut off in a narrow window")
        if width != 560:
            check_accessibility(page, f"{width} px")
        screenshot(page, f"console-{width}", full=True)
        page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    moving = page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length")
    check(moving == 0, f"{moving} things move for somebody who asked for none")
    page.emulate_media(forced_colors="active")
    screenshot(page, "console-forced")
    page.emulate_media(forced_colors="none")


def check_keyboard(page):
    page.goto(BASE + "/")
    expect(page.locator("#live")).to_have_text("live")
    page.keyboard.press("Tab")
    check(page.evaluate("document.activeElement.textContent") == "Skip to the content", "no skip link")
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("""(() => { const one = document.activeElement, style = getComputedStyle(one);
            return [one.id || one.textContent.trim().slice(0, 20), style.outlineStyle !== "none"]; })()"""))
    check(all(outlined for _, outlined in seen), f"the focus is not seen: {seen}")
    check({"zone", "theme", "Sign out", "pause"} <= {name for name, _ in seen}, f"not by keyboard: {seen}")

    page.locator(".elsewhere summary").press("Enter")
    expect(page.locator(".elsewhere pre").first).to_be_visible()
    check_accessibility(page, "elsewhere")
    copy = page.locator(".elsewhere").get_by_role("button", name="Copy")
    copy.last.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    check(page.evaluate("navigator.clipboard.readText()") == "fanfare status", "another text was copied")
    part(page, "hubs").locator("summary").first.press("Enter")
    expect(part(page, "hubs").locator(".numbers").first).to_be_visible()
    check_accessibility(page, "numbers")
    screenshot(page, "console-open", full=True)


def check_without_script(browser):
    context = browser.new_context(java_script_enabled=False, viewport=WIDE)
    plain = context.new_page()
    SITE.page = "1.html"
    plain.goto(BASE + "/")
    expect(plain.locator("#since")).to_have_text("2027-01-15 08:00:30 UTC")
    for hidden in ["#live", "#pause", "#theme", "#zone", "[data-copy] >> nth=0"]:
        expect(plain.locator(hidden)).to_be_hidden()
    check(plain.locator("meta[http-equiv=refresh]").count() == 0, "a page reloads that nobody asked to")
    plain.get_by_role("link", name="Load again every 10 s").click()
    expect(plain.locator("meta[http-equiv=refresh]")).to_have_attribute("content", "10")
    screenshot(plain, "console-plain")
    asked = len(SITE.asked)
    wait(plain, lambda: any(one[0] == "/" for one in SITE.asked[asked:]), "the page was not loaded again")
    plain.get_by_role("link", name="Stop").click()
    expect(plain.get_by_role("link", name="Load again every 10 s")).to_be_visible()


def main(browser):
    console = []
    context = browser.new_context(
        viewport=WIDE, color_scheme="light", locale="en-GB", timezone_id="America/New_York",
        permissions=["clipboard-read", "clipboard-write"])
    page = watched_page(context, BASE, console)
    page.goto(BASE + "/")
    check_parts(page)
    check_times(page)
    check_look(page)
    check_keyboard(page)
    check(not console, f"messages in the console: {console}")
    check_pause(page)
    check_hidden(page)
    check_troubles(page)
    check_without_script(browser)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE = f"http://127.0.0.1:{server.server_port}"
run(main)
