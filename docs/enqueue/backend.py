"""A small order service that tells customers by push, with psycopg 3.

A message is written in the transaction that changes the order: both are kept, or neither. The login is a member of
push_enqueue and can do nothing else in the schema push. PGHOST, PGDATABASE and PGUSER name the database.
"""

import os

import psycopg
from psycopg.types.json import Json

HUB = os.environ.get("PUSH_HUB", "news")


class CardDeclined(Exception):
    pass


def place_order(db, customer, total, card_is_good=True):
    """The order and its message, or neither."""
    with db.transaction():
        (order,) = db.execute(
            "INSERT INTO orders (customer, total) VALUES (%s, %s) RETURNING id", (customer, total)
        ).fetchone()
        (message,) = db.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES (%s, %s, %s) RETURNING id",
            (HUB, f"customer-{customer}", Json({"message": f"We have your order {order}."})),
        ).fetchone()
        if not card_is_good:
            raise CardDeclined(order)
    return order, message


def ship_order(db, order, customer, after):
    """Safe to call twice: the key is the event. The message does not overtake the one that it comes after."""
    with db.transaction():
        db.execute("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = %s", (order,))
        return db.execute(
            """SELECT id, inserted FROM push.enqueue(
                   hub => %s, tag => %s, translations => %s, dedupe_key => %s, after => %s)""",
            (
                HUB,
                f"customer-{customer}",
                Json({"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}),
                f"order-{order}-shipped",
                after,
            ),
        ).fetchone()


def remind(db, order, customer, days):
    """Call it again to move the reminder: it takes the place of the one that still waits."""
    return db.execute(
        """SELECT id, replaced FROM push.enqueue(
               hub => %s, tag => %s, content => %s, send_at => now() + make_interval(days => %s),
               dedupe_key => %s, replace => true)""",
        (HUB, f"customer-{customer}", Json({"message": "How do you like it?"}), days, f"order-{order}-review"),
    ).fetchone()


def drop_reminder(db, order):
    """Both by the key: no id has to be kept."""
    return db.execute(
        "SELECT id, answer FROM push.cancel_own(dedupe_key => %s, hub => %s)", (f"order-{order}-review", HUB)
    ).fetchone()


def main():
    with psycopg.connect(autocommit=True) as db:
        order, first = place_order(db, customer=42, total=19.9)
        print(f"order {order}: message {first}")

        try:
            place_order(db, customer=43, total=5, card_is_good=False)
        except CardDeclined:
            print("rolled back: no order, no message")

        for _ in range(2):
            message, inserted = ship_order(db, order, customer=42, after=first)
            print(f"shipped: message {message}, inserted {str(inserted).lower()}")

        for days in (3, 7):
            message, replaced = remind(db, order, customer=42, days=days)
            print(f"reminder: message {message}, replaced {replaced or 'nothing'}")
        message, answer = drop_reminder(db, order)
        print(f"no reminder: message {message} {answer}")

        try:
            db.execute("INSERT INTO push.message (hub, tag, content) VALUES (%s, '(a || b', '{}')", (HUB,))
        except psycopg.Error as error:
            print(f"refused {error.sqlstate}: {error.diag.message_primary}")
            print(f"hint: {error.diag.message_hint}")


if __name__ == "__main__":
    main()
