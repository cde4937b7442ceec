"""What all browser tests share: a page whose complaints are collected, and checks of what it shows.

A test is run as `TEST.py WHERE NAME DIRECTORY [BROWSER]`. Screenshots are written to DIRECTORY. It exits with 0 on success;
otherwise it prints what failed.
"""

import sys
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

SHOTS = sys.argv[3]
BROWSER = sys.argv[4] if len(sys.argv) > 4 else "/usr/bin/chromium"
EVIL = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
# The same with U+0600 before each mark, or U+0301 behind it: to Swift each pair is one character.
HIDDEN = "".join("\u0600" + mark if mark in "<>" else mark + "\u0301" if mark == '"' else mark for mark in EVIL)
failures = []
# Long enough for a busy machine, in milliseconds.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


def check(condition, what):
    if not condition:
        failures.append(what)


def wait_for_animations(page):
    """Waits for all animations: a half-faded element lacks its final contrast."""
    page.evaluate("""() => Promise.allSettled(document.getAnimations()
        .filter((one) => one.effect.getComputedTiming().iterations !== Infinity).map((one) => one.finished))""")


def check_accessibility(page, name, rules=None):
    """- rules: of axe. Default: all."""
    wait_for_animations(page)
    axe = Axe()
    # It is half a megabyte: a page keeps it.
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe.axe_script)
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    violations = page.evaluate("options => axe.run(options)", options)["violations"]
    check(not violations, f"axe, {name}: " + "; ".join(
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}" for one in violations))


def screenshot(page, name, full=False):
    wait_for_animations(page)
    page.screenshot(path=f"{SHOTS}/{name}.png", full_page=full)


def watched_page(context, base, console):
    """A page whose complaints are collected, and which may ask no other host."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda line: console.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: console.append(str(error)))
    page.on("request", lambda request: check(
        request.url.startswith((base, "data:")), f"request to another host: {request.url}"))
    return page


@contextmanager
def late_script(page, address):
    """Opens a page that has no script until the end: on a slow line somebody types before it is there."""
    held = []
    page.route("**/*.js", lambda route: held.append(route))
    page.goto(address, wait_until="commit")
    yield
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.unroute("**/*.js")


def run(main):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        main(browser)
        browser.close()
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)
