"""Somebody writes a campaign in a browser: with script what it would be follows, without script a button shows it.

See checks.py. WHERE is a console whose person may write campaigns, with a hub `news` in English, French and Mandarin.
"""

import re
import sys

from checks import EVIL, check, check_accessibility, expect, late_script, run, screenshot, watched_page

BASE = sys.argv[1]
WIDE = {"width": 1280, "height": 900}


def describe(page):
    """The fields of a campaign that can be sent."""
    page.get_by_role("textbox", name="Hubs", exact=True).fill("news")
    page.get_by_label("Tags", exact=True).fill("World")
    language = page.get_by_role("group", name="Another language").first
    language.get_by_label("Language", exact=True).fill("en")
    language.get_by_label("Property, Another language").first.fill("title")
    return language.get_by_label("Text, Another language").first


def check_script(browser, console):
    context = browser.new_context(viewport=WIDE)
    page = watched_page(context, BASE, console)
    page.goto(f"{BASE}/campaigns/new")
    page.evaluate("window.notReloaded = true")
    check_accessibility(page, "an empty form")
    page.get_by_label("Name", exact=True).fill("spring")
    text = describe(page)
    text.press_sequentially(f"Hello {EVIL}")
    expect(page.locator(".card .body").first).to_have_text(f"Hello {EVIL}")
    expect(page.get_by_text("Nothing is wrong with it.")).to_be_visible()
    check(text.evaluate("(field) => field === document.activeElement"), "the focus was lost")
    check(text.input_value() == f"Hello {EVIL}", "a text was changed while it was typed")
    check(page.evaluate("window.notReloaded && !window.hacked"), "the page was reloaded, or a text was run")

    rate = page.get_by_label("Rate", exact=True)
    rate.fill("fast")
    expect(page.locator("#p-rate")).to_contain_text("not a number from")
    expect(rate).to_have_attribute("aria-invalid", "true")
    check_accessibility(page, "a problem at its field")
    rate.fill("50")
    expect(page.locator("#p-rate")).to_be_empty()
    expect(rate).to_have_attribute("aria-invalid", "false")

    text.fill("Hello {{name|you}}")
    expect(page.locator(".card .body").first).to_have_text("Hello you")
    sample = page.get_by_label("name", exact=True)
    sample.fill("Ada")
    expect(page.locator(".card .body").first).to_have_text("Hello Ada")
    check(sample.evaluate("(field) => field === document.activeElement"), "the sample lost the focus")
    check_accessibility(page, "phones")
    # The session ends while one types: what was typed stays, and the page says why it is not looked at.
    page.route("**/campaigns/new", lambda route: route.fulfill(status=401, body="Signed out"))
    sample.fill("Bea")
    expect(page.locator("#looking")).to_contain_text("nobody is signed in: sign in in another tab")
    expect(sample).to_have_value("Bea")
    page.unroute("**/campaigns/new")
    # An answer that breaks off in the middle is none.
    page.evaluate("""() => { const real = fetch; window.fetch = async () => {
        window.fetch = real;
        return new Response(new ReadableStream({ start(stream) { stream.error(new Error("cut")); } })); }; }""")
    sample.fill("Cid")
    expect(page.locator("#looking")).to_contain_text("answer none")
    sample.fill("Ada")
    expect(page.locator("#looking")).to_be_empty()
    expect(page.locator(".card .body").first).to_have_text("Hello Ada")
    screenshot(page, "console-writing", full=True)
    page.emulate_media(color_scheme="dark")
    check_accessibility(page, "phones, dark", rules=["color-contrast"])
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": 700})
    wide = page.evaluate("document.documentElement.scrollWidth")
    check(wide <= 320, f"at 320 px the page is {wide} px wide")
    check_accessibility(page, "320 px")
    screenshot(page, "console-writing-320", full=True)
    page.set_viewport_size(WIDE)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(r"/campaigns(/spring)?$"))
    context.close()


def check_late_script(browser, console):
    context = browser.new_context(viewport=WIDE)
    page = watched_page(context, BASE, console)
    with late_script(page, f"{BASE}/campaigns/new"):
        describe(page).fill("Hello")
    expect(page.locator(".card .body").first).to_have_text("Hello")
    context.close()


def check_without_script(browser, console):
    context = browser.new_context(viewport=WIDE, java_script_enabled=False)
    page = watched_page(context, BASE, console)
    page.goto(f"{BASE}/campaigns/spring/edit")
    english = page.get_by_role("group", name="Language en")
    text = english.get_by_label("Text, Language en").first
    expect(text).to_have_value("Hello {{name|you}}")
    text.fill("Bye\nthen")
    rows = english.get_by_label("Text, Language en")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="More rows").click()
    expect(rows).to_have_count(7)
    expect(text).to_have_value("Bye\nthen")
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".card .body").first).to_have_text("Bye\nthen")
    page.get_by_role("button", name="As JSON").click()
    expect(page.get_by_label("Spec", exact=True)).to_have_value(re.compile(r'"title": "Bye\\nthen"'))
    page.get_by_role("button", name="As a form").click()
    expect(text).to_have_value("Bye\nthen")
    # Enter in a field changes nothing.
    page.get_by_label("Rate", exact=True).press("Enter")
    expect(page.get_by_text("Nothing is wrong with it.")).to_be_visible()
    context.close()


def main(browser):
    console = []
    check_script(browser, console)
    check_late_script(browser, console)
    check_without_script(browser, console)
    # The address that saving leads to may be one that the person's console does not have; the session ends once.
    told = [line for line in console if "404" not in line and "401" not in line]
    check(not told, f"the browser's console: {told}")


run(main)
