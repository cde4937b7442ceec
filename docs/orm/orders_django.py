"""A small order service that tells customers by push, with Django 5 and psycopg 3.

A message is written in the transaction that changes the order: both are kept, or neither. The login is a member of
push_enqueue and can do nothing else in the schema push. PGHOST, PGDATABASE and PGUSER name the database.

A project has its settings and models in files of their own; here all is in one.
"""

import json
import os

import django
from django.conf import settings

if not settings.configured:
    settings.configure(
        USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ.get("PGDATABASE", "fanfare")}},
    )
    django.setup()

from django.db import Error, connection, models, transaction  # noqa: E402, after the settings
from django.db.models.functions import Coalesce, Now  # noqa: E402

HUB = os.environ.get("PUSH_HUB", "news")


class CardDeclined(Exception):
    pass


class Order(models.Model):
    id = models.BigAutoField(primary_key=True)
    customer = models.IntegerField()
    total = models.DecimalField(max_digits=10, decimal_places=2)
    shipped_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "shop"
        db_table = "orders"


class Message(models.Model):
    """A row of push.message, with the columns this service writes. None means the column's default."""

    id = models.BigAutoField(primary_key=True)
    hub = models.TextField(default=HUB)
    tag = models.TextField(null=True)
    locale = models.TextField(null=True)
    content = models.JSONField()
    content_key = models.TextField(null=True)
    dedupe_key = models.TextField(null=True)
    priority = models.SmallIntegerField(null=True)
    send_at = models.DateTimeField(null=True)
    headers = models.JSONField(null=True)

    class Meta:
        app_label = "shop"
        managed = False  # its table comes from: fanfare migrate up
        db_table = '"push"."message"'  # with these quotes Django leaves the name of the schema alone


ENQUEUE = "SELECT id, inserted FROM push.enqueue(hub => %s, tag => %s, translations => %s, dedupe_key => %s)"


def place_order(customer, total, card_is_good=True):
    """The order and its message, or neither."""
    with transaction.atomic():
        order = Order.objects.create(customer=customer, total=total)
        message = Message.objects.create(
            tag=f"customer-{customer}", content={"message": f"We have your order {order.id}."}
        )
        if not card_is_good:
            raise CardDeclined(order.id)
    return order.id, message.id


def tell(tag, stories):
    """Stories in several languages, in one statement. content_key says which rows are one story."""
    messages = Message.objects.bulk_create(
        Message(tag=tag, locale=locale, content={"title": title}, content_key=key)
        for key, titles in stories.items()
        for locale, title in titles.items()
    )
    return [message.id for message in messages]


def ship_order(order, customer):
    """Safe to call twice: the key is the event, and the second call gets the first message's id."""
    translations = {
        "en": {"message": "Your order is on its way."},
        "fr": {"message": "Votre commande est en route."},
    }
    with transaction.atomic(), connection.cursor() as cursor:
        Order.objects.filter(id=order).update(shipped_at=Coalesce("shipped_at", Now()))
        cursor.execute(ENQUEUE, [HUB, f"customer-{customer}", json.dumps(translations), f"order-{order}-shipped"])
        return cursor.fetchone()


def main():
    order, message = place_order(customer=42, total="19.90")
    print(f"order {order}: message {message}")

    try:
        place_order(customer=43, total=5, card_is_good=False)
    except CardDeclined:
        print("rolled back: no order, no message")

    stories = {
        f"order-{order}-story-1": {"en": "Peace", "fr": "Paix"},
        f"order-{order}-story-2": {"en": "Rain", "fr": "Pluie"},
    }
    print("two stories: messages", *tell("World", stories))

    for _ in range(2):
        message, inserted = ship_order(order, customer=42)
        print(f"shipped: message {message}, inserted {str(inserted).lower()}")

    try:
        Message.objects.create(tag="(a || b", content={})
    except Error as error:
        refusal = error.__cause__
        print(f"refused {refusal.sqlstate}: {refusal.diag.message_primary}")
        print(f"hint: {refusal.diag.message_hint}")


if __name__ == "__main__":
    main()
