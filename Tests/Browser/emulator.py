"""What the browser tests of the emulator's page share: the emulator asked and changed over HTTP.

A test is run as `TEST.py http://127.0.0.1:PORT HUB DIRECTORY [BROWSER]` by BrowserTests (Tests/HubEmulatorTests). HUB has
the public key. See checks.py.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# Most of it for the tests, which import it from here.
from checks import (
    EVIL, HIDDEN, check, check_accessibility, expect, late_script, run, screenshot, watched_page,
)

BASE, HUB = sys.argv[1:3]


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


def send(tags, body, format="template", folder="messages", **more):
    headers = {"Authorization": token(), "ServiceBusNotification-Format": format, "Content-Type": "application/json"}
    headers |= more
    if format == "windows":
        headers |= {"Content-Type": "application/xml", "X-WNS-Type": "wns/toast"}
    if tags is not None:
        headers["ServiceBusNotification-Tags"] = tags
    data = body if isinstance(body, str) else json.dumps(body)
    try:
        return ask("POST", f"/{HUB}/{folder}/?api-version=2020-06", data.encode(), headers)
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


def open_page(browser, console, **more):
    context = browser.new_context(viewport={"width": 1480, "height": 1000}, color_scheme="light", locale="en-GB", **more)
    return watched_page(context, BASE, console)
