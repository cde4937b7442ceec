"""A notification hub client from PyPI behind a claim loop, as a team writes it: psycopg, claims of 1,000, and threads,
because both clients block.

    CLIENT=azure-notification-hub-unofficial    httpx; signs every send
    CLIENT=notificationhubs-rest-python         requests; signs and connects for every send

THREADS: 1 is fastest against a hub that answers at once (the interpreter's lock), many against a real one.
"""
from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import psycopg

import outbox
import side


def unofficial() -> Callable[[tuple], int]:
    """Speaks plain HTTP if the connection string says so: it rewrites only `sb://` to https."""
    from azure_notification_hub import NotificationHubsClient, create_template_notification

    # One per thread: with one for 64 threads a send failed now and then, because another thread closed its connection. Made
    # beforehand, because each loads the certificates of the system, which takes longer than many sends.
    idle: SimpleQueue[NotificationHubsClient] = SimpleQueue()
    for _ in range(int(os.environ["THREADS"])):
        idle.put(NotificationHubsClient(os.environ["HUB_CONNECTION_STRING"], side.HUB))

    def send(row: tuple) -> int:
        client = idle.get()
        client.send_notification(create_template_notification(row[2]), tag_expression=row[1])
        idle.put(client)
        return row[0]

    return send


def rest_sample() -> Callable[[tuple], int]:
    """Always makes the endpoint https; the class attribute that it reads for every send redirects it to a local server."""
    from notificationhubs_rest_python.NotificationHub import AzureNotificationHub

    text = os.environ["HUB_CONNECTION_STRING"]
    client = AzureNotificationHub(text, side.HUB)
    AzureNotificationHub.Endpoint = text.split(";")[0].removeprefix("Endpoint=")

    def send(row: tuple) -> int:
        client.send_template_notification(row[2], tags=row[1])
        return row[0]

    return send


CLIENTS = {"azure-notification-hub-unofficial": unofficial, "notificationhubs-rest-python": rest_sample}


def send_all() -> None:
    send, threads = CLIENTS[os.environ["CLIENT"]](), int(os.environ["THREADS"])
    with psycopg.connect(autocommit=True) as connection, ThreadPoolExecutor(threads) as pool:
        while rows := connection.execute(outbox.CLAIM).fetchall():
            sent = list(pool.map(send, rows) if threads > 1 else map(send, rows))
            connection.execute("UPDATE outbox SET state = 'sent', sent_at = now() WHERE id = ANY (%s)", (sent,))


if __name__ == "__main__":
    side.main(outbox.schema, outbox.fill, send_all, outbox.finished)
