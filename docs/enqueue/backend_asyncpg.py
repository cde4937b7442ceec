"""The order service of backend.py with asyncpg: the same transactions, and the message inside them."""

import asyncio
import json
import os

import asyncpg

HUB = os.environ.get("PUSH_HUB", "news")


class CardDeclined(Exception):
    pass


async def place_order(db, customer, total, card_is_good=True):
    """The order and its message, or neither."""
    async with db.transaction():
        order = await db.fetchval(
            "INSERT INTO orders (customer, total) VALUES ($1, $2) RETURNING id", customer, total
        )
        message = await db.fetchval(
            "INSERT INTO push.message (hub, tag, content) VALUES ($1, $2, $3) RETURNING id",
            HUB, f"customer-{customer}", json.dumps({"message": f"We have your order {order}."}),
        )
        if not card_is_good:
            raise CardDeclined(order)
    return order, message


async def ship_order(db, order, customer):
    """Safe to call twice: the key is the event, and the second call gets the first message's id."""
    async with db.transaction():
        await db.execute("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = $1", order)
        return await db.fetchrow(
            """SELECT id, inserted FROM push.enqueue(
                   hub => $1, tag => $2, translations => $3, dedupe_key => $4)""",
            HUB,
            f"customer-{customer}",
            json.dumps({"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}),
            f"order-{order}-shipped",
        )


async def remind(db, order, customer, days):
    """Call it again to move the reminder: it takes the place of the one that still waits."""
    return await db.fetchrow(
        """SELECT id, replaced FROM push.enqueue(
               hub => $1, tag => $2, content => $3, send_at => now() + make_interval(days => $4),
               dedupe_key => $5, replace => true)""",
        HUB, f"customer-{customer}", json.dumps({"message": "How do you like it?"}), days, f"order-{order}-review",
    )


async def drop_reminder(db, order):
    """Both by the key: no id has to be kept."""
    return await db.fetchrow(
        "SELECT id, answer FROM push.cancel_own(dedupe_key => $1, hub => $2)", f"order-{order}-review", HUB
    )


async def main():
    db = await asyncpg.connect()
    try:
        order, message = await place_order(db, customer=42, total=19)
        print(f"order {order}: message {message}")

        try:
            await place_order(db, customer=43, total=5, card_is_good=False)
        except CardDeclined:
            print("rolled back: no order, no message")

        for _ in range(2):
            message, inserted = await ship_order(db, order, customer=42)
            print(f"shipped: message {message}, inserted {str(inserted).lower()}")

        for days in (3, 7):
            message, replaced = await remind(db, order, customer=42, days=days)
            print(f"reminder: message {message}, replaced {replaced or 'nothing'}")
        message, answer = await drop_reminder(db, order)
        print(f"no reminder: message {message} {answer}")

        try:
            await db.execute("INSERT INTO push.message (hub, tag, content) VALUES ($1, '(a || b', '{}')", HUB)
        except asyncpg.PostgresError as error:
            print(f"refused {error.sqlstate}: {error.message}")
            print(f"hint: {error.hint}")
    finally:
        await db.close()


if __name__ == "__main__":
    asyncio.run(main())
