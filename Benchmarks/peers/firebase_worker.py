"""firebase-admin behind a claim loop, as a team writes it: psycopg, claims of 1,000, and THREADS threads, because it blocks.

FCM_ENDPOINT: where messages go; SERVICE_ACCOUNT: the text of the account's file, which leads to the token endpoint.
"""
from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import firebase_admin
import psycopg
from firebase_admin import credentials, messaging

import outbox
import side


def send_all() -> None:
    # The address stands in a private class attribute; there is no setting for it.
    messaging._MessagingService.FCM_URL = os.environ["FCM_ENDPOINT"] + "/v1/projects/{0}/messages:send"
    firebase_admin.initialize_app(credentials.Certificate(json.loads(os.environ["SERVICE_ACCOUNT"])))

    def send(row: tuple) -> int:
        content = row[2]
        notification = messaging.Notification(title=content["title"], body=content["body"])
        messaging.send(messaging.Message(token=row[1], notification=notification))
        return row[0]

    with psycopg.connect(autocommit=True) as connection, ThreadPoolExecutor(int(os.environ["THREADS"])) as pool:
        while rows := connection.execute(outbox.CLAIM).fetchall():
            sent = list(pool.map(send, rows))
            connection.execute("UPDATE outbox SET state = 'sent', sent_at = now() WHERE id = ANY (%s)", (sent,))


if __name__ == "__main__":
    side.main(outbox.schema, outbox.fill, send_all, outbox.finished)
