"""What the tests of the console in a real daemon share: people who sign in, pages that are looked at in every way, actions.

A test is run as `TEST.py WHERE NAME DIRECTORY BROWSER HUBS DATABASE ACTIONS ...`. WHERE is the first page of the console, HUBS the
address of the emulator behind it, DATABASE the conninfo of its owner, ACTIONS the names of the actions that the test has to do, with
blanks between. Each person's password is the name.
"""

import json
import subprocess
import sys
import time
import urllib.request

from checks import SHOTS, check, check_accessibility, expect, run, screenshot, wait_for_animations, watched_page

BASE = sys.argv[1].rstrip("/")
NAME = sys.argv[2]
HUBS, DATABASE, ACTIONS = sys.argv[5:8]
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 320, "height": 700}
done = set()


def sign_in(browser, person, **options):
    """A page of a browser of the person's own, signed in, and what its console said."""
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce", **options)
    said = []
    page = watched_page(context, BASE, said)
    page.goto(BASE + "/")
    page.get_by_label("Name").fill(person)
    page.get_by_label("Password").fill(person)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("main#content")).to_be_visible()
    return page, said


def look(page, path, name):
    page.goto(BASE + path)
    look_here(page, name)


def look_here(page, name):
    """The page that is shown: axe in light and dark, no wider than a small phone."""
    expect(page.locator("h1")).to_be_visible()
    check_accessibility(page, f"{name}, light")
    page.emulate_media(color_scheme="dark")
    check_accessibility(page, f"{name}, dark", rules=["color-contrast"])
    page.emulate_media(color_scheme="light")
    screenshot(page, f"{NAME}-{name}", full=True)
    page.set_viewport_size(NARROW)
    page.wait_for_function("width => window.innerWidth === width", arg=NARROW["width"])
    width = page.evaluate("document.documentElement.scrollWidth")
    check(width <= NARROW["width"], f"{name} is {width} wide on a small phone")
    screenshot(page, f"{NAME}-{name}-320", full=True)
    page.set_viewport_size(WIDE)


def picture(page, name, last):
    """A picture for the documents: the page from its title to the end of one part, without the header."""
    wait_for_animations(page)
    begin, end = page.locator("h1").bounding_box(), last.bounding_box()
    top = begin["y"] - 16
    clip = {"x": 0, "y": top, "width": WIDE["width"], "height": end["y"] + end["height"] + 16 - top}
    page.screenshot(path=f"{SHOTS}/{NAME}-{name}.png", full_page=True, clip=clip)


def check_plain(page, paths):
    """Pages of somebody without script: each part says something, and nothing is there that only a script could do."""
    for path in paths:
        status = page.goto(BASE + path).status
        check(status == 200, f"without script {path} has status {status}")
        expect(page.locator("h1")).to_be_visible()
        empty = [part for part in page.locator("main section[data-part]").all() if not part.inner_text().strip()]
        check(not empty, f"without script {path} has {len(empty)} empty parts")
        for idle in page.locator("button[type=button], #live, #zone, #theme").all():
            check(not idle.is_visible(), f"without script {path} shows what does nothing: {idle.text_content()}")


def question(page):
    """Waits for the question of an action: its consequences are there."""
    expect(page.locator(".consequences li").first).to_be_visible()


def confirm(page, verb, typed=None, press=None, follows=False):
    """The question of an action; then yes. Waits for the end.

    - typed: what the question wants typed. Default: what it asks for, if anything.
    - press: what presses the button; default: a click.
    - follows: whether the script has to show the end. Default: the page is loaded again.
    """
    say_yes(page, verb, typed, press)
    # Most are over within milliseconds, and the script looks again after two seconds.
    state = page.locator('[data-part="action"] .state')
    expect(state).to_be_visible()
    while not follows and state.text_content() == "under way":
        page.reload()
    expect(state).to_have_text("done")


def say_yes(page, verb, typed=None, press=None):
    """As `confirm`, without the end."""
    question(page)
    done.add(page.locator("main form").get_attribute("action").rsplit("/", 1)[1])
    wanted = page.locator("label[for=typed] b")
    if wanted.count() > 0:
        check(typed is None or wanted.text_content() == typed, f"{verb}: {wanted.text_content()} is to be typed")
        page.get_by_label("to confirm").fill(wanted.text_content())
    else:
        check(typed is None, f"{verb}: nothing is to be typed")
    button = page.locator("main").get_by_role("button", name=verb, exact=True)
    press(page, button) if press else button.click()


def see(page):
    page.get_by_role("link", name="See what it changed").click()
    expect(page.get_by_role("link", name="See what it changed")).to_have_count(0)


def press_until(page, locator, most=120):
    """Tabs until the element has the focus, as somebody without a mouse does."""
    for _ in range(most):
        if locator.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    check(False, f"not reached by keyboard: {locator}")


def press(page, locator):
    """Presses a button or a link by keyboard."""
    press_until(page, locator)
    page.keyboard.press("Enter")


def type_into(page, locator, text):
    """Writes into a field by keyboard, in place of what it has."""
    press_until(page, locator)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def sql(text):
    """What the owner of the database reads or does: the values of all rows, with | between."""
    ran = subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", DATABASE, "-c", text], capture_output=True, text=True)
    check(ran.returncode == 0, f"{text}: {ran.stderr}")
    return ran.stdout.strip()


def until(text, value, seconds=120):
    """Waits until the database says so."""
    end = time.monotonic() + seconds
    while (found := sql(text)) != value:
        if time.monotonic() > end:
            raise AssertionError(f"{text}: {found} instead of {value}")
        time.sleep(0.05)


def fault(**members):
    """One more fault of the hubs: see docs/emulator.md."""
    urllib.request.urlopen(f"{HUBS}/_emulator/faults", json.dumps(members).encode()).read()


def remove_faults():
    urllib.request.urlopen(urllib.request.Request(f"{HUBS}/_emulator/faults", method="DELETE")).read()


def check_done():
    """Every action that the test has to do was done."""
    missing = set(ACTIONS.split()) - done
    check(not missing, f"no step of this test does {', '.join(sorted(missing))}")
