"""The page of `fanfare-emulator` in a real browser.

Run by BrowserTests (Tests/HubEmulatorTests), which runs an emulator at the given address and restarts it on request.
Exits with 0 on success; otherwise prints what failed.

    emulator_page.py http://127.0.0.1:PORT HUB DIRECTORY [BROWSER]

HUB has the public key. Screenshots are written to DIRECTORY.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
import time
import urllib.parse
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

BASE, HUB, SHOTS = sys.argv[1:4]
BROWSER = sys.argv[4] if len(sys.argv) > 4 else "/usr/bin/chromium"
EVIL = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
failures = []
# Long enough for a busy machine.
expect.set_options(timeout=30_000)


def check(condition, what):
    if not condition:
        failures.append(what)


def ask(method, path, body=None, headers=None):
    request = urllib.request.Request(BASE + path, data=body, method=method, headers=headers or {})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return reply.read().decode()


def device(id, platform, tags, body, user=None, language=None, handle=None):
    tags = tags + ([f"lang:{language}"] if language else [])
    installation = {
        "installationId": id, "platform": platform, "pushChannel": handle or id.encode().hex(), "tags": tags,
        "templates": {"news": {"body": body}},
    }
    if user:
        installation["userId"] = user
    path = f"/_emulator/devices/{urllib.parse.quote(id, safe='')}?hub={HUB}"
    ask("PUT", path, json.dumps(installation).encode())


def apple(language):
    alert = {"title": f"$(title_{language})", "body": f"$(text_{language})"}
    return json.dumps({"aps": {"alert": alert, "badge": 1, "sound": "default", "category": "STORY"}})


def google(language):
    return json.dumps({"message": {"notification": {"title": f"$(title_{language})", "body": f"$(text_{language})"}}})


def token():
    resource = urllib.parse.quote(f"{BASE}/{HUB}".lower(), safe="").lower()
    expiry = str(int(time.time()) + 3600)
    digest = hmac.new(b"ZW11bGF0b3I=", f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    signature = urllib.parse.quote(base64.b64encode(digest), safe="")
    return f"SharedAccessSignature sr={resource}&sig={signature}&se={expiry}&skn=emulator"


def send(tags, body, format="template", **more):
    headers = {"Authorization": token(), "ServiceBusNotification-Format": format, "Content-Type": "application/json"}
    headers |= more
    if format == "windows":
        headers |= {"Content-Type": "application/xml", "X-WNS-Type": "wns/toast"}
    if tags is not None:
        headers["ServiceBusNotification-Tags"] = tags
    data = body if isinstance(body, str) else json.dumps(body)
    try:
        return ask("POST", f"/{HUB}/messages/?api-version=2020-06", data.encode(), headers)
    except urllib.error.HTTPError as error:
        return error.code


NEWS = {
    "title_en": "Launch window confirmed", "text_en": "The crew leaves for the Moon on Thursday at dawn.",
    "title_fr": "Fenêtre de tir confirmée", "text_fr": "L’équipage part pour la Lune jeudi à l’aube.",
    "title_zh": "发射窗口已确认", "text_zh": "宇航员将于周四黎明启程前往月球。",
    "title_ar": "تأكيد نافذة الإطلاق", "text_ar": "ينطلق الطاقم إلى القمر فجر الخميس.",
}
TOAST = (
    "<toast><visual><binding template='ToastGeneric'><text>Launch window confirmed</text>"
    "<text>The crew leaves for the Moon on Thursday at dawn.</text></binding></visual>"
    "<actions><action content='Read' arguments='read'/><action content='Later' arguments='later'/></actions></toast>"
)


def register_devices():
    device("alice-iphone", "apns", ["World", "Science"], apple("en"), "alice", "en")
    device("chloe-pixel", "fcmV1", ["World", "Science"], google("fr"), "chloé", "fr")
    device("lina-iphone", "apns", ["World", "Sports"], apple("zh"), "李娜", "zh")
    device("omar-galaxy", "fcmV1", ["World"], google("ar"), "omar", "ar")
    device("ben-laptop", "wns", ["Science"], json.dumps({"title": "$(title_en)"}), "ben", handle="https://wns.example/ben")


def news(number):
    return {name: f"{text} ({number})" if name.startswith("title") else text for name, text in NEWS.items()}


def wait_for_animations(page):
    """Waits for all animations: a half-faded element lacks its final contrast."""
    page.evaluate("""() => Promise.allSettled(document.getAnimations()
        .filter((one) => one.effect.getComputedTiming().iterations !== Infinity).map((one) => one.finished))""")


def check_accessibility(page, name):
    wait_for_animations(page)
    violations = Axe().run(page).response["violations"]
    check(not violations, f"axe, {name}: " + "; ".join(
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}" for one in violations))


def screenshot(page, name, full=False):
    wait_for_animations(page)
    page.screenshot(path=f"{SHOTS}/{name}.png", full_page=full)


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1480, "height": 1000}, color_scheme="light", locale="en-GB")
        page = context.new_page()
        console = []
        page.on("console", lambda line: console.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("request", lambda request: check(
            request.url.startswith((BASE, "data:")), f"request to another host: {request.url}"))

        page.goto(BASE + "/")
        expect(page.locator("#live")).to_have_text("live")
        expect(page.get_by_role("heading", name="No phones yet")).to_be_visible()
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
        evil = page.locator('[data-phone*="/evil"]')
        expect(evil.locator(".card .title")).to_have_text([EVIL])
        expect(evil.locator(".card .body")).to_have_text([EVIL, EVIL])
        check(page.evaluate("window.hacked") is None, "external markup was executed")
        check(page.locator("main img").count() == 0, "external markup became elements")

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
        browser.close()


main()
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
