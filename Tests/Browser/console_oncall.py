"""Somebody on call, who has read nothing: from the first page to the end of the trouble, by keyboard, also without script.

See console.py. The hub `news` refuses every key until the faults are removed; two messages are in doubt, and three were rejected.
"""

from console import (
    BASE, check, check_done, check_plain, confirm, expect, look, look_here, picture, press, question, remove_faults, run,
    say_yes, see, sign_in, until)
from console_oncall_actions import check_actions, state
from console_tabs import check_restart, check_tabs

# By address, with the name of the screenshot.
PAGES = {
    "/": "overview", "/hubs/news": "hub", "/messages": "messages", "/failures": "failures", "/devices": "devices",
    "/audit": "audit", "/actions": "actions", "/about": "about", "/hubs/none": "no-hub",
}


def check_door(browser):
    page = browser.new_page()
    page.goto(BASE + "/failures")
    look_here(page, "sign-in")
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill("not this")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("No user has this name and this password.")).to_be_visible()
    check(page.get_by_label("Name").input_value() == "ana", "the name has to be typed again")
    page.get_by_label("Password").fill("ana")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(BASE + "/failures")
    page.close()


def check_pages(page):
    for path, name in PAGES.items():
        look(page, path, name)
    page.goto(BASE + "/messages")
    page.locator("tbody a").first.click()
    expect(page.locator("h1")).to_contain_text("Message ")
    look(page, page.url.removeprefix(BASE), "story")


def check_trouble(page):
    """By keyboard alone: why the hub is held, and how it goes on."""
    page.goto(BASE + "/")
    press(page, page.locator("main a", has_text="news").first)
    expect(page.locator("h1")).to_have_text("Hub news")
    expect(state(page)).to_contain_text("held")
    expect(page.locator('[data-part="state"]')).to_contain_text("401")
    picture(page, "held", page.locator('[data-part="actions"]'))
    press(page, page.get_by_role("button", name="Resume"))
    question(page)
    # Once a minute a worker tries the hub by itself: not between the end of the faults and the answer.
    until("SELECT next_probe > now() + interval '20 s' FROM push.hub_health WHERE hub = 'news'", "t")
    remove_faults()
    confirm(page, "Resume the hub", press=press, follows=True)
    see(page)
    expect(state(page)).to_have_text("open")


def check_doubts(page):
    page.goto(BASE + "/messages?status=in_doubt")
    page.locator("tbody input[type=checkbox]").first.check()
    page.get_by_role("button", name="In doubt: they were delivered", exact=True).click()
    confirm(page, "They were delivered")


def check_without_script(browser):
    page, said = sign_in(browser, "ana", java_script_enabled=False)
    check_plain(page, [path for path in PAGES if path != "/hubs/none"])
    for button in ("Pause", "Resume"):
        page.goto(BASE + "/hubs/news")
        page.get_by_role("button", name=button).click()
        say_yes(page, f"{button} the hub")
        while page.get_by_role("link", name="See what it changed").count() == 0:
            page.reload()
        see(page)
        expect(state(page)).to_have_text("paused" if button == "Pause" else "open")
    page.context.close()


def check_reader(browser):
    """Who may only look has no button that changes something, and is refused by the server, too."""
    page, said = sign_in(browser, "ben")
    page.goto(BASE + "/hubs/news")
    expect(page.locator("h1")).to_have_text("Hub news")
    check(page.locator("main form[method=post]").count() == 0, "a reader has a button")
    check(page.goto(BASE + "/audit").status == 403, "a reader reads the audit")
    page.context.close()


def main(browser):
    check_door(browser)
    page, said = sign_in(browser, "ana")
    check_pages(page)
    check_trouble(page)
    check_doubts(page)
    check_without_script(browser)
    check_reader(browser)
    check_restart(check_tabs(page))
    check_actions(page)
    check_done()
    # Of the hub that there is not, and the rate that is no number.
    said = [line for line in said if "404" not in line and "422" not in line]
    check(not said, f"the console of the browser said: {said}")


run(main)
