"""Everything notificationhubs-rest-python 1.0.3 can do, with fanfare-emulator.

    pip install notificationhubs-rest-python==1.0.3
    python rest_sample.py 'Endpoint=http://127.0.0.1:8099/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=' news

With Endpoint=sb://... it uses TLS, and REQUESTS_CA_BUNDLE names the certificate to trust.
"""

import sys
from datetime import datetime, timezone

from notificationhubs_rest_python.NotificationHub import AzureNotificationHub

connection, hub_name = sys.argv[1:3]


def connect(name):
    hub = AzureNotificationHub(connection, name)
    endpoint = connection.split(";")[0].removeprefix("Endpoint=")
    if endpoint.startswith("http://"):
        # The client always uses https.
        AzureNotificationHub.Endpoint = endpoint
    return hub


hub = connect(hub_name)
toast = "<toast><visual><binding template=\"ToastText01\"><text id=\"1\">Hello</text></binding></visual></toast>"
phone_toast = (
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><wp:Notification xmlns:wp=\"WPNotification\">"
    "<wp:Toast><wp:Text1>Hello</wp:Text1></wp:Toast></wp:Notification>")
sends = [
    ("apple", hub.send_apple_notification, {"aps": {"alert": "Hello"}}, "00FC13AD"),
    ("gcm", hub.send_google_notification, {"data": {"message": "Hello"}}, "gcm-token"),
    ("adm", hub.send_amazon_notification, {"data": {"message": "Hello"}}, "adm-token"),
    ("baidu", hub.send_baidu_notification, {"title": "News", "description": "Hello"}, "user-channel"),
    ("windows", hub.send_windows_notification, toast, "https://wns.example/1"),
    ("windowsphone", hub.send_windows_phone_notification, phone_toast, "https://mpns.example/1"),
]
for name, send, payload, handle in sends:
    status, _ = send(False, payload, tags="World")
    direct, _ = send(True, payload, device_handle=handle)
    print(name, status, direct)

print("template", hub.send_template_notification({"News_English": "Hello"}, tags={"World"})[0])
print("expression", hub.send_template_notification({"News_English": "Hello"}, tags="World && !fr")[0])
print("everybody", hub.send_template_notification({"News_English": "Hello"})[0])

# It writes the time as 2030-01-02'T'03:04:05, which no hub can parse.
try:
    hub.send_template_notification(
        {"News_English": "Hello"}, tags="World", scheduled_time=datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone.utc))
except Exception as error:
    print("schedule:", str(error).removeprefix("Error sending notification. "))

# Its state is in class variables: a second hub object changes the first one.
connect("nowhere")
try:
    hub.send_template_notification({"News_English": "Hello"}, tags="World")
except Exception as error:
    print("first hub:", str(error).removeprefix("Error sending notification. "))
hub = connect(hub_name)

# The headers alone, without a network.
status, headers = hub.send_template_notification({"a": "b"}, tags="World", skip_send=True)
print("headers:", *sorted(headers))
