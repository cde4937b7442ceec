"""Deeper into the page of `fanfare-emulator`: a send, filters, pause, clock, forms, tags, schedules, telemetry.

See emulator.py.
"""

import json
import time

from emulator import (
    BASE, HUB, NEWS, ask, check, check_accessibility, expect, late_script, news, open_page, register_devices, run, screenshot,
    send,
)

NARROW = {"width": 420, "height": 900}
WIDE = {"width": 1480, "height": 1000}


def top(page, selector):
    return page.locator(selector).first.bounding_box()["y"]


def row(page, text):
    return page.locator("#send-list .send", has_text=text)


def schedule(tags):
    day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 86_400))
    send(tags, NEWS, folder="schedulednotifications", **{"ServiceBusNotification-ScheduleTime": day})


def check_narrow(page, name):
    # A busy machine shows a page before its style is there.
    page.wait_for_load_state("load")
    page.set_viewport_size(NARROW)
    page.wait_for_function("width => window.innerWidth === width", arg=NARROW["width"])
    width = page.evaluate("document.documentElement.scrollWidth")
    check(width <= NARROW["width"], f"{name} is wider than a narrow window: {width}")
    is_cut = "() => [...document.querySelectorAll('.wide')].some((one) => one.scrollWidth > one.clientWidth)"
    check(not page.evaluate(is_cut), f"{name} has a table that is cut off in a narrow window")
    screenshot(page, f"{name}-narrow")
    page.set_viewport_size(WIDE)


def check_send(page):
    """A row of the journal opens: who got it, who did not, the request, the command."""
    row(page, "World && !Sports").click()
    report = page.locator("#detail [data-report]")
    expect(report).to_be_visible()
    expect(report.locator(".rows").first).to_contain_text("alice-iphone")
    expect(report.locator(".rows").nth(1)).to_contain_text("lina-iphone")
    expect(report.locator(".rows").nth(1)).to_contain_text("has Sports")
    expect(report.locator(".rows").nth(1)).to_contain_text("lacks World")
    expect(report.locator(".headers tr", has_text="-Tags")).to_contain_text("World && !Sports")
    expect(report.locator(".headers tr", has_text="Authorization")).to_contain_text("•••")
    check("SharedAccessSignature sr=" not in page.content(), "a token is on the page")
    check_accessibility(page, "a send")
    screenshot(page, "5-send")
    report.get_by_role("button", name="Copy").click()
    expect(report.get_by_role("button", name="Copied")).to_be_visible()
    command = page.evaluate("navigator.clipboard.readText()")
    check('-H "Authorization: $TOKEN"' in command and "curl -sS -X POST" in command, f"copied: {command}")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()

    row(page, "not taken").filter(has_text="400").click()
    expect(report.locator(".rule")).to_contain_text("the rule “tag expression”")
    page.get_by_role("button", name="Close").click()
    row(page, "fault 1").click()
    expect(report.locator(".rule")).to_contain_text("429, Retry-After 2 s")
    page.keyboard.press("Escape")

    card = page.locator('[data-phone$="/chloe-pixel"] .card.empty')
    card.locator("summary").click()
    card.get_by_role("link", name="The send it came from").click()
    expect(report).to_contain_text("the message lacks title_fr, text_fr")
    page.keyboard.press("Escape")


def check_filters(page):
    page.evaluate("window.notReloaded = true")
    phones = page.get_by_role("searchbox", name="Device, user or text")
    phones.press_sequentially("chloe")
    expect(page.locator(".phone")).to_have_count(1)
    check(page.evaluate("document.activeElement.name") == "text", "the field lost the focus")
    check("text=chloe" in page.url, f"the address lacks the filter: {page.url}")
    # What arrives is filtered too.
    expect(page.locator("#live")).to_have_text("live")
    send("World", news(7))
    expect(page.locator('[data-phone$="/chloe-pixel"] .card .title').first).to_have_text("Fenêtre de tir confirmée (7)")
    expect(page.locator(".phone")).to_have_count(1)
    phones.fill("")
    expect(page.locator(".phone")).to_have_count(5)

    page.get_by_role("searchbox", name="Status, tag or text of a send").press_sequentially("4xx")
    expect(page.locator("#send-list .code")).to_have_text(["429", "400"])
    page.get_by_role("searchbox", name="Status, tag or text of a send").fill("")
    page.get_by_role("link", name="Not taken").click()
    expect(page.locator("#send-list .code")).to_have_text(["429", "400"])
    expect(page.locator("#live")).to_have_text("live")
    send("World", news(8))
    expect(page.locator('[data-phone$="/alice-iphone"] .card .title').first).to_contain_text("(8)")
    expect(page.locator("#send-list .send")).to_have_count(2)
    screenshot(page, "6-filtered")
    page.get_by_role("link", name="All", exact=True).click()
    expect(row(page, "World && !Sports")).to_have_count(1)
    check(page.evaluate("window.notReloaded"), "a filter reloaded the page")


def check_pause(page):
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#live")).to_have_text("paused")
    shown = page.locator('[data-phone$="/alice-iphone"] .card .title').first.text_content()
    send("World", news(9))
    # The emulator has it, the page does not.
    check('"number"' in ask("GET", "/_emulator/status"), "no status")
    expect(page.locator('[data-phone$="/alice-iphone"] .card .title').first).to_have_text(shown)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator('[data-phone$="/alice-iphone"] .card .title').first).to_contain_text("(9)")
    expect(page.locator("#live")).to_have_text("live")


def check_clock(page):
    ask("POST", "/_emulator/clock", b'{"advanceSeconds": 7200}')
    expect(page.locator(".banner")).to_contain_text("The clock is 2 hours ahead.")
    page.wait_for_function("""() => [7200, 7140].some((seconds) => document.querySelector(".clock").textContent ===
        new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" }).format(new Date(Date.now() + 1000 * seconds)))""")
    check_accessibility(page, "a moved clock")
    screenshot(page, "7-clock")
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator(".banner")).to_have_count(0)
    check('"advancedSeconds":0' in ask("GET", "/_emulator/clock"), "the clock was not put back")


def check_inbox(page):
    page.get_by_role("button", name="Clear the inbox of lina-iphone").click()
    expect(page.locator('[data-phone$="/lina-iphone"] .card')).to_have_count(0)
    check(page.locator('[data-phone$="/alice-iphone"] .card').count() > 0, "another inbox was cleared")
    # Cleared elsewhere: the page follows.
    ask("DELETE", f"/_emulator/devices/alice-iphone/inbox?hub={HUB}")
    expect(page.locator('[data-phone$="/alice-iphone"] .card')).to_have_count(0)


def check_tags(page):
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Tags").click()
    page.evaluate("window.notReloaded = true")
    field = page.get_by_role("searchbox", name="Tag expression")
    field.press_sequentially("World && !Sports")
    expect(page.locator(".verdict")).to_contain_text("3 of 5 devices get it.")
    expect(page.locator("[data-part=answer]")).to_contain_text("has Sports")
    check(page.evaluate("window.notReloaded"), "the page reloaded itself")
    check_accessibility(page, "tags")
    screenshot(page, "8-tags")
    check_narrow(page, "8-tags")
    field.fill("World && Wrold")
    expect(page.locator("[data-part=answer]")).to_contain_text("did you mean world?")
    field.fill("(World")
    expect(page.locator("[data-part=answer]")).to_contain_text("not a tag expression")
    field.fill("World && !Sports")
    page.get_by_role("link", name="Send to them").click()


def check_late_script(page):
    with late_script(page, BASE + "/_emulator/page/tags"):
        page.get_by_role("searchbox", name="Tag expression").fill("World && !Sports")
    expect(page.locator(".verdict")).to_contain_text("3 of 5 devices get it.")


def check_forms(page):
    expect(page.get_by_role("textbox", name="Tag expression")).to_have_value("World && !Sports")
    check_accessibility(page, "send")
    screenshot(page, "9-form")
    check_narrow(page, "9-form")
    page.get_by_role("textbox", name="Body").fill(json.dumps({"title_en": "From the form", "text_en": "It works."}))
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".verdict")).to_contain_text("Taken: 3 notifications")
    check("/_emulator/page/sends/" in page.url, "not the page of the send")
    check_narrow(page, "5-send")

    page.goto(BASE + "/_emulator/page/phone")
    check_accessibility(page, "a phone")
    page.get_by_role("textbox", name="Id", exact=True).fill("dora-tablet")
    page.get_by_label("Platform").select_option("fcmV1")
    page.get_by_label("Tags").fill("World, lang:es")
    page.get_by_role("button", name="Add").click()
    expect(page.locator('[data-phone$="/dora-tablet"]')).to_contain_text("Spanish")


def check_lists(page):
    schedule("World")
    schedule("Science")
    page.goto(BASE + "/_emulator/page/schedules")
    expect(page.locator("tbody tr")).to_have_count(2)
    check_accessibility(page, "schedules")
    screenshot(page, "10-schedules")
    check_narrow(page, "10-schedules")
    page.get_by_role("button", name="Cancel the send to Science").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("button", name="To the next send").click()
    expect(page.locator("tbody tr")).to_have_count(0)
    expect(page.locator(".banner")).to_contain_text("ahead")
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator(".banner")).to_have_count(0)

    page.goto(BASE + "/_emulator/page/telemetry")
    expect(page.locator("tbody")).to_contain_text("Completed")
    check_accessibility(page, "telemetry")
    screenshot(page, "11-telemetry")
    check_narrow(page, "11-telemetry")

    page.goto(f"{BASE}/_emulator/page/registrations?hub={HUB}")
    page.get_by_role("searchbox", name="Tag").press_sequentially("sports")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody")).to_contain_text("lina-iphone")
    check_accessibility(page, "registrations")
    screenshot(page, "12-registrations")
    check_narrow(page, "12-registrations")


def check_dark(page):
    page.emulate_media(color_scheme="dark")
    page.goto(BASE + "/")
    row(page, "World && !Sports").last.click()
    expect(page.locator("#detail [data-report]")).to_be_visible()
    check_accessibility(page, "a send, dark")
    screenshot(page, "13-send-dark")
    page.goto(f"{BASE}/_emulator/page/tags?hub={HUB}&tags=World+%26%26+!Sports")
    check_accessibility(page, "tags, dark")
    screenshot(page, "13-tags-dark")
    page.emulate_media(color_scheme="light")


def check_without_script(browser):
    page = browser.new_context(java_script_enabled=False, viewport=NARROW).new_page()
    page.goto(BASE + "/")
    page.get_by_role("link", name="Not taken").click()
    check("status=refused" in page.url, "no filter by status")
    expect(page.locator("#send-list .code")).to_have_text(["429", "400"])
    page.locator("#send-list a").first.click()
    expect(page.locator("[data-report]")).to_contain_text("429, Retry-After 2 s")
    expect(page.locator("[data-copied]")).to_contain_text("$TOKEN")
    page.goto(BASE + "/")
    page.get_by_role("searchbox", name="Status, tag or text of a send").fill("form")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#send-list .send")).to_have_count(1)
    page.goto(f"{BASE}/_emulator/page/tags?hub={HUB}")
    page.get_by_role("searchbox", name="Tag expression").fill("Science")
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".verdict")).to_contain_text("of 6 devices get it.")
    ask("POST", "/_emulator/clock", b'{"advanceSeconds": 60}')
    page.goto(f"{BASE}/?hub={HUB}&text=ben")
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator(".banner")).to_have_count(0)
    check("text=ben" in page.url, f"a form forgot the filter: {page.url}")
    page.get_by_role("button", name="Clear the inbox of ben-laptop").click()
    expect(page.locator(".card")).to_have_count(0)


def main(browser):
    console = []
    page = open_page(browser, console, permissions=["clipboard-read", "clipboard-write"])
    register_devices()
    # lina has Sports and World.
    send("World", news(1))
    send("World && !Sports", news(2))
    send("lang:fr", {"title_en": "only English"})
    send("Wrold", news(3))
    send("(World", news(3))
    ask("POST", "/_emulator/faults", json.dumps({"next": 1, "status": 429, "retryAfter": 2}).encode())
    send("World", news(4))

    page.goto(BASE + "/")
    expect(page.locator("#live")).to_have_text("live")
    check(top(page, "#warnings") < top(page, "#send-list"), "the warnings do not stand above the journal")
    expect(page.locator('[data-phone$="/chloe-pixel"] .card.empty')).to_contain_text("the message lacks title_fr, text_fr")
    page.set_viewport_size(NARROW)
    check(top(page, "#warnings") < top(page, "#phone-list"), "the warnings do not come first")
    page.set_viewport_size(WIDE)
    check_narrow(page, "2-light")

    check_send(page)
    check_filters(page)
    check_pause(page)
    check_clock(page)
    check_inbox(page)
    check_late_script(page)
    check_tags(page)
    check_forms(page)
    check_lists(page)
    check_dark(page)
    check_without_script(browser)
    check(not console, f"messages in the console: {console}")


run(main)
