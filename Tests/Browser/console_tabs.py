"""Eight tabs of one browser on live pages, a field somebody writes in, and a worker that is restarted meanwhile. See console_oncall.py.

The worker is a child of the test, which starts it again when it has ended and the table `seen` is there.
"""

import os
import signal

from checks import watched_page
from console import BASE, check, expect, sql


def part(page, name):
    return page.locator(f'[data-part="{name}"]')


def check_tabs(page):
    """A browser has six connections to a host: with one held by each tab the seventh would hang."""
    said = []
    tabs = [watched_page(page.context, BASE, said) for _ in range(8)]
    for number, tab in enumerate(tabs):
        tab.goto(BASE + ("/hubs/news" if number % 2 else "/"))
    for tab in tabs:
        expect(tab.locator("#live")).to_have_text("live")
    # Somebody writes in one of them, and what is beside the field changes.
    busy = tabs[1]
    rate = busy.get_by_label("Posts a second")
    rate.fill("12")
    sql("SELECT push.pause_hub('news', 'eight tabs')")
    for tab in tabs:
        expect(tab.locator("main")).to_contain_text("eight tabs")
    expect(part(busy, "actions").locator(".news")).to_be_visible()
    check(rate.input_value() == "12", "a field that somebody writes in was changed")
    check(rate.evaluate("one => one === document.activeElement"), "a field lost the focus")
    check(busy.get_by_role("button", name="Resume").count() == 0, "buttons beside the field were exchanged")
    part(busy, "actions").get_by_role("button", name="New: show").click()
    expect(busy.get_by_role("button", name="Resume")).to_be_visible()
    sql("SELECT push.resume_hub('news')")
    # The ninth page of the browser opens while they follow.
    page.goto(BASE + "/about")
    expect(page.locator("h1")).to_be_visible()
    for tab in tabs[1:]:
        tab.close()
    expect(tabs[0].locator("main")).not_to_contain_text("eight tabs")
    check(not said, f"the console of eight tabs said: {said}")
    return tabs[0]


def check_restart(page):
    """The page of `/` stays open, says that it gets no answer, and then has the new worker. Nobody signs in again."""
    expect(page.locator("#live")).to_have_text("live")
    page.evaluate("window.notReloaded = true")
    name = sql("SELECT name FROM push.worker")
    expect(part(page, "workers")).to_contain_text(name)
    os.kill(int(name.rsplit("/", 1)[1]), signal.SIGTERM)
    expect(page.locator("#live")).to_contain_text("no answer, next try in")
    sql("CREATE TABLE public.seen ()")
    expect(page.locator("#live")).to_have_text("live")
    expect(part(page, "workers")).not_to_contain_text(name)
    expect(part(page, "workers").locator("tbody tr")).to_have_count(1)
    check(page.evaluate("window.notReloaded"), "the page was loaded again")
