"""Everything azure-notification-hub-unofficial 0.1.0 can do, with fanfare-emulator.

    pip install azure-notification-hub-unofficial==0.1.0
    python unofficial.py 'Endpoint=http://127.0.0.1:8099/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=' news
"""

import json
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

import azure_notification_hub as nh

connection, hub = sys.argv[1:3]
address = connection.split(";")[0].removeprefix("Endpoint=").replace("sb://", "https://").rstrip("/")
client = nh.NotificationHubsClient(connection, hub)


def emulator(path, body=None):
    """The emulator's own API: JSON, without a key."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(f"{address}/_emulator/{path}", data) as answer:
        return json.load(answer)


# Devices: one for every platform.
channels = {
    "apns": "00FC13AD", "fcmV1": "fcm-token", "gcm": "gcm-token", "wns": "https://wns.example/1",
    "mpns": "https://mpns.example/1", "adm": "adm-token", "baidu": "user-channel", "xiaomi": "xiaomi-token",
}
for platform, channel in channels.items():
    client.create_or_update_installation(
        {"installationId": platform, "platform": platform, "pushChannel": channel, "tags": ["World"]})
client.create_or_update_installation(nh.create_browser_installation(
    "browser", {"endpoint": "https://push.example/1", "p256dh": "BKy", "auth": "abc"}, tags=["World"]))
client.create_or_update_installation({
    "installationId": "inst/1", "platform": "apns", "pushChannel": "AB", "tags": ["World"],
    "templates": {"news": {"body": json.dumps({"aps": {"alert": "$(News_French)"}})}}})
client.update_installation("inst/1", [{"op": "add", "path": "/tags", "value": "fr"}])
# The service sends JSON but declares it as XML, so the client returns it as text.
phone = json.loads(client.get_installation("inst/1")["_raw_xml"])
print("tags:", *sorted(phone["tags"]))

# A notification in every format.
toast = nh.create_windows_toast_body("Hello")
for notification in [
    nh.create_apple_notification(nh.create_apple_body(alert="Hello")),
    nh.create_fcm_v1_notification(nh.create_fcm_v1_body(notification={"title": "News", "body": "Hello"})),
    nh.create_fcm_legacy_notification(nh.create_fcm_legacy_body(data={"message": "Hello"})),
    nh.create_windows_toast_notification(toast),
    nh.create_windows_raw_notification("Hello"),
    nh.create_windowsphone_notification(nh.create_windowsphone_toast_body("Hello")),
    nh.create_adm_notification(nh.create_adm_body(data={"message": "Hello"})),
    nh.create_baidu_notification(nh.create_baidu_body(title="News", description="Hello")),
    nh.create_browser_notification({"title": "News", "body": "Hello"}),
    nh.create_xiaomi_notification({"title": "News", "description": "Hello"}),
]:
    answer = client.send_notification(notification, tag_expression="World")
    print("sent:", notification["platform"], answer)

news = nh.create_template_notification({"News_English": "Good morning", "News_French": "Bonjour"})
client.send_notification(news, tag_expression="World && fr")
client.send_broadcast_notification(news)
# Test send, time to live and urgency are headers that hubs ignore: this is a real send.
client.send_notification(news, tag_expression="fr", test_send=True, ttl=60, urgency="high")
print("shown:", *[push["alert"]["body"] for push in emulator(f"devices/inst%2F1/inbox?hub={hub}") if push.get("template")])

# Schedules. The client drops Location, and with it the id: ask the emulator.
now = datetime.fromtimestamp(emulator("clock")["now"], timezone.utc)
for minutes in (10, 20):
    client.schedule_notification(now + timedelta(minutes=minutes), news, tag_expression="fr")
client.schedule_broadcast_notification(now + timedelta(days=1), news)
first, second, broadcast = [waiting["notification"] for waiting in emulator("schedules")]
client.cancel_scheduled_notification(second)
emulator("clock", {"advanceSeconds": 900})
print("waiting:", [waiting["notification"] for waiting in emulator("schedules")] == [broadcast])
try:
    client.cancel_scheduled_notification(first)
except nh.AzureNHError as error:
    print("too late to cancel:", error.status_code)
client.cancel_scheduled_notification(broadcast)

# Telemetry, as XML text.
for notification in (first, second):
    details = client.get_notification_outcome_details(notification)["_raw_xml"]
    print("telemetry:", details.split("<State>")[1].split("<")[0])
try:
    client.get_notification_outcome_details("unknown")
except nh.AzureNHError as error:
    print("telemetry:", error.status_code)

# The feedback container's address is plain text, but the client expects JSON: it returns an empty string for any hub.
print("feedback:", repr(client.get_feedback_container_url()))

registrations = client.list_registrations()
print("registrations:", len(registrations))
one = client.get_registration(registrations[0]["RegistrationId"])
print("the first is itself:", one["RegistrationId"] == registrations[0]["RegistrationId"])

for platform in [*channels, "browser", "inst/1"]:
    client.delete_installation(platform)
print("left:", len(client.list_registrations()))

# Errors are refused as the service does.
for tags in ("a AND b", "a/b"):
    try:
        client.send_notification(news, tag_expression=tags)
    except nh.AzureNHError as error:
        print("refused:", error.status_code)
client.close()
