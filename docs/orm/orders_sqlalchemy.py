"""A small order service that tells customers by push, with SQLAlchemy 2 and psycopg 3.

A message is one more object of the session that changes the order: both are kept, or neither. The login is a member of
push_enqueue and can do nothing else in the schema push. PGHOST, PGDATABASE and PGUSER name the database.
"""

import os
from datetime import datetime
from decimal import Decimal

from sqlalchemy import JSON, BigInteger, DateTime, Identity, bindparam, create_engine, func, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

HUB = os.environ.get("PUSH_HUB", "news")


class CardDeclined(Exception):
    pass


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    customer: Mapped[int]
    total: Mapped[Decimal]
    shipped_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


def write_only(*types):
    """A column that this login may write and not read: never loaded, and reading it back is an error that says so."""
    return mapped_column(*types, deferred=True, deferred_raiseload=True)


class Message(Base):
    """A row of push.message, with the columns this service writes. None means the column's default."""

    __tablename__ = "message"
    __table_args__ = {"schema": "push"}

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    hub: Mapped[str] = write_only()
    tag: Mapped[str | None] = write_only()
    locale: Mapped[str | None] = write_only()
    content: Mapped[dict] = write_only(JSON)
    content_key: Mapped[str | None] = write_only()
    dedupe_key: Mapped[str | None] = write_only()
    priority: Mapped[int | None] = write_only()
    send_at: Mapped[datetime | None] = write_only(DateTime(timezone=True))
    headers: Mapped[dict | None] = write_only(JSON(none_as_null=True))


ENQUEUE = text(
    "SELECT id, inserted FROM push.enqueue(hub => :hub, tag => :tag, translations => :translations, dedupe_key => :key)"
).bindparams(bindparam("translations", type_=JSON))


def place_order(session, customer, total, card_is_good=True):
    """The order and its message, or neither."""
    with session.begin():
        order = Order(customer=customer, total=total)
        session.add(order)
        session.flush()
        message = Message(hub=HUB, tag=f"customer-{customer}", content={"message": f"We have your order {order.id}."})
        session.add(message)
        session.flush()
        if not card_is_good:
            raise CardDeclined(order.id)
        return order.id, message.id


def tell(session, tag, stories):
    """Stories in several languages, in one flush. content_key says which rows are one story."""
    messages = [
        Message(hub=HUB, tag=tag, locale=locale, content={"title": title}, content_key=key)
        for key, titles in stories.items()
        for locale, title in titles.items()
    ]
    with session.begin():
        session.add_all(messages)
        session.flush()
        return [message.id for message in messages]


def ship_order(session, order, customer):
    """Safe to call twice: the key is the event, and the second call gets the first message's id."""
    with session.begin():
        session.get_one(Order, order).shipped_at = func.coalesce(Order.shipped_at, func.now())
        return session.execute(
            ENQUEUE,
            {
                "hub": HUB,
                "tag": f"customer-{customer}",
                "translations": {
                    "en": {"message": "Your order is on its way."},
                    "fr": {"message": "Votre commande est en route."},
                },
                "key": f"order-{order}-shipped",
            },
        ).one()


def main():
    with Session(create_engine("postgresql+psycopg://")) as session:
        order, message = place_order(session, customer=42, total=19.9)
        print(f"order {order}: message {message}")

        try:
            place_order(session, customer=43, total=5, card_is_good=False)
        except CardDeclined:
            print("rolled back: no order, no message")

        stories = {
            f"order-{order}-story-1": {"en": "Peace", "fr": "Paix"},
            f"order-{order}-story-2": {"en": "Rain", "fr": "Pluie"},
        }
        print("two stories: messages", *tell(session, "World", stories))

        for _ in range(2):
            message, inserted = ship_order(session, order, customer=42)
            print(f"shipped: message {message}, inserted {str(inserted).lower()}")

        try:
            with session.begin():
                session.add(Message(hub=HUB, tag="(a || b", content={}))
        except DBAPIError as error:
            print(f"refused {error.orig.sqlstate}: {error.orig.diag.message_primary}")
            print(f"hint: {error.orig.diag.message_hint}")


if __name__ == "__main__":
    main()
