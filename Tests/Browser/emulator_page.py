"""The page of `fanfare-emulator` in a real browser: live, dark, narrow, by keyboard, hostile, restarted, without script.

See emulator.py. The emulator is restarted when this prints `restart`.
"""

import json
import re
import sys

from emulator import (
    BASE, EVIL, HIDDEN, NEWS, TOAST, ask, check, check_accessibility, device, expect, news, open_page, register_devices, run,
    screenshot, send,
)


def main(browser):
    console = []
    page = open_page(browser, console)

    page.goto(BASE + "/")
    expect(page.locator("#live")).to_have_text("live")
    expect(page.get_by_role("heading", name="No phones yet")).to_be_visible()
    expect(page.locator(".pager")).to_be_hidden()
    check_accessibility(page, "empty")
    screenshot(page, "1-empty")

    register_devices()
    expect(page.locator(".phone").first).to_be_visible()
    expect(page.locator("#live")).to_have_text("live")
    # From here on phones and cards appear without a reload.
    page.evaluate("window.notReloaded = true")
    send("World", news(1))
    for phone, text in [("alice-iphone", "Launch window confirmed (1)"), ("lina-iphone", "发射窗口已确认 (1)")]:
        expect(page.locator(f'[data-phone$="/{phone}"] .card .title')).to_have_text([text])
    expect(page.locator('[data-count="countTaken"]')).to_have_text("1")

    send("Science", TOAST, format="windows")
    expect(page.locator('[data-phone$="/ben-laptop"] .actions li')).to_have_text(["Read", "Later"])
    send("Science && !Sports", news(2))
    expect(page.locator('[data-phone$="/alice-iphone"] .card')).to_have_count(2)
    titles = page.locator('[data-phone$="/alice-iphone"] .card .title')
    expect(titles.first).to_have_text("Launch window confirmed (2)")
    check(page.evaluate("window.notReloaded"), "the page reloaded itself")
    check(page.locator('[data-phone$="/omar-galaxy"] .card').get_attribute("lang") == "ar", "no lang on a card")

    send("lang:fr", {"title_en": "only English"})
    expect(page.locator('[data-phone$="/chloe-pixel"] .card.empty')).to_have_count(1)
    send("Wrold", news(3))
    send(None, {"aps": {"content-available": 1}}, format="apple")
    expect(page.locator('[data-phone$="/alice-iphone"] .card.silent')).to_have_count(1)
    ask("POST", "/_emulator/faults", json.dumps({"next": 1, "status": 429, "retryAfter": 2}).encode())
    check(send("World", news(4)) == 429, "the fault did not strike")
    expect(page.locator("#faults")).to_contain_text("429, Retry-After 2 s")
    expect(page.locator("#faults")).to_contain_text("struck once")
    expect(page.locator("#send-list .send.slow")).to_have_count(1)
    expect(page.locator("#warnings")).to_contain_text(re.compile("wrold", re.I))
    check_accessibility(page, "light")
    screenshot(page, "2-light")
    screenshot(page, "2-light-whole", full=True)

    # By keyboard: the first link skips to the phones.
    page.keyboard.press("Tab")
    check(page.evaluate("document.activeElement.textContent") == "Skip to the phones", "no skip link")
    page.locator('[data-phone$="/alice-iphone"] .card').first.locator("summary").press("Enter")
    expect(page.locator('[data-phone$="/alice-iphone"] details[open] pre')).to_be_visible()

    page.emulate_media(color_scheme="dark")
    check_accessibility(page, "dark")
    screenshot(page, "3-dark")
    page.set_viewport_size({"width": 390, "height": 844})
    width = page.evaluate("document.documentElement.scrollWidth")
    check(width <= 390, f"wider than a narrow window: {width}")
    check_accessibility(page, "narrow")
    screenshot(page, "4-narrow-dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1480, "height": 1000})

    page.goto(f"{BASE}/?tag=lang%3Afr")
    expect(page.locator(".phone")).to_have_count(1)
    expect(page.locator("#live")).to_have_text("live")
    send("World", news(5))
    expect(page.locator('[data-phone$="/chloe-pixel"] .card .title').first).to_have_text("Fenêtre de tir confirmée (5)")
    expect(page.locator(".phone")).to_have_count(1)

    page.goto(BASE + "/")
    device("evil" + EVIL, "apns", ["Evil"], json.dumps({"aps": {"alert": "$(m)"}}), EVIL)
    page.reload()
    expect(page.locator("#live")).to_have_text("live")
    send("Evil", {"m": EVIL})
    send("Evil", {"aps": {"alert": {"title": EVIL, "body": EVIL}, "category": EVIL}}, format="apple")
    device("hidden" + HIDDEN, "apns", ["Hidden"], json.dumps({"aps": {"alert": "$(m)"}}), HIDDEN)
    send("Hidden", {"m": HIDDEN})
    send("Hidden", {"aps": {"alert": {"title": HIDDEN, "body": HIDDEN}, "category": HIDDEN}}, format="apple")
    expect(page.locator('[data-phone*="/hidden"] .card .body')).to_have_text([HIDDEN, HIDDEN])
    evil = page.locator('[data-phone*="/evil"]')
    expect(evil.locator(".card .title")).to_have_text([EVIL])
    expect(evil.locator(".card .body")).to_have_text([EVIL, EVIL])
    check(page.evaluate("window.hacked") is None, "external markup was executed")
    check(page.locator("main img").count() == 0, "external markup became elements")

    # Buttons by category, and a press that the app would get.
    send("Sports", {"aps": {"alert": "You’re invited!", "category": "INVITE_CATEGORY"}}, format="apple")
    card = page.locator('[data-phone$="/lina-iphone"] .card').first
    expect(card.locator(".buttons button")).to_have_text(["Accept", "Decline", "Reply"])
    check_accessibility(page, "buttons")
    card.get_by_role("button", name="Accept").click()
    expect(card.locator(".pressed")).to_have_text("Pressed: Accept")
    card.get_by_label("Text").fill("Next time")
    card.get_by_role("button", name="Reply").click()
    expect(card.locator(".pressed")).to_have_text("Pressed: Reply: Next time")
    presses = json.loads(ask("GET", "/_emulator/presses"))
    check([(one["action"], one["opensApp"], one.get("text")) for one in presses] == [
        ("accept", True, None), ("reply", False, "Next time")], f"presses: {presses}")

    check(not console, f"messages in the console: {console}")
    console.clear()

    # Another emulator at the same address: the page detects it and shows its devices.
    print("restart", flush=True)
    check(sys.stdin.readline() == "done\n", "no restart")
    expect(page.get_by_role("heading", name="No phones yet")).to_be_visible()
    expect(page.locator("#live")).to_have_text("live")
    register_devices()
    send("World", news(6))
    for phone in ["alice-iphone", "chloe-pixel", "lina-iphone", "omar-galaxy"]:
        expect(page.locator(f'[data-phone$="/{phone}"] .card')).to_have_count(1)

    plain = browser.new_context(java_script_enabled=False, viewport={"width": 1480, "height": 1000}).new_page()
    plain.goto(BASE + "/")
    expect(plain.locator(".phone")).to_have_count(5)
    expect(plain.locator(".card")).to_have_count(4)
    plain.get_by_role("button", name="Clear all").click()
    expect(plain.locator(".quiet")).to_have_count(5)
    expect(plain.locator(".card")).to_have_count(0)
    expect(page.locator(".card")).to_have_count(0)

    long = "A very long text. " * 40
    send("lang:fr", {"title_fr": long, "text_fr": long})
    card = page.locator('[data-phone$="/chloe-pixel"] .card')
    expect(card.locator(".body")).to_contain_text("A very long text.")
    check(card.bounding_box()["height"] < 260, "a long text fills the screen")
    card.locator("summary").click()
    check(card.bounding_box()["height"] > 500, "an open card does not show its whole text")


run(main)
