"""pyapns-client 2.0.6 against the emulator: one notification to each handle, by a provider token. It knows no certificates.

    python apns_pyapns.py ENDPOINT CA_FILE TOPIC KEY_FILE,KEY_ID,TEAM HANDLE...

Apple's addresses are fixed in the library; the line below "Here" leads to the emulator. Numbers are given as text, because the
newer versions of httpx take no others in headers. A word such as long=3000 makes the text of what follows that long.
"""
import sys
import warnings

from pyapns_client import APNSClient, APNSException, IOSNotification, IOSPayload, IOSPayloadAlert

# The ones of httpx, about arguments of this library.
warnings.simplefilter("ignore", DeprecationWarning)

endpoint, authority, topic, credential, *handles = sys.argv[1:]
key, key_id, team = credential.split(",")

# Here.
APNSClient.BASE_URLS[APNSClient.MODE_PROD] = endpoint

client = APNSClient(APNSClient.MODE_PROD, authority, key, key_id, team)
body = "You’re invited!"
for handle in handles:
    if handle.startswith("long="):
        body = "x" * int(handle.removeprefix("long="))
        continue
    notification = IOSNotification(
        IOSPayload(alert=IOSPayloadAlert(title="Party", body=body), category="INVITE_CATEGORY"), topic,
        push_type="alert", priority="5", expiration="2000000000", collapse_id="score")
    try:
        client.push(notification, handle)
        print(f"{handle}: sent")
    except APNSException as error:
        since = " since" if getattr(error, "timestamp", None) else ""
        print(f"{handle}: {type(error).__name__} {error.status_code}{since}")
    except NotImplementedError as error:
        print(f"{handle}: NotImplementedError, {error}")
client.close()
