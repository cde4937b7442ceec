-- An order service in psql: the message is written inside the order's own transaction.
-- psql -d DATABASE -v hub=news -f orders.sql
\set QUIET on
\pset tuples_only on
\pset format unaligned

-- The order and its message, or neither.
BEGIN;
INSERT INTO orders (customer, total) VALUES (42, 19.9) RETURNING id AS "order" \gset
INSERT INTO push.message (hub, tag, content)
VALUES (:'hub', 'customer-42', json_build_object('message', format('We have your order %s.', :'order')))
RETURNING id AS message \gset
COMMIT;
\echo order :order: message :message

BEGIN;
INSERT INTO orders (customer, total) VALUES (43, 5);
INSERT INTO push.message (hub, tag, content) VALUES (:'hub', 'customer-43', '{"message": "We have your order."}');
ROLLBACK;
\echo rolled back: no order, no message

-- Safe to run twice: the key is the event, and the second call gets the first message's id.
SELECT format('shipped: message %s, inserted %s', id, inserted::text)
  FROM push.enqueue(
       hub => :'hub', tag => 'customer-42', dedupe_key => format('order-%s-shipped', :'order'),
       translations => '{"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}');
SELECT format('shipped: message %s, inserted %s', id, inserted::text)
  FROM push.enqueue(
       hub => :'hub', tag => 'customer-42', dedupe_key => format('order-%s-shipped', :'order'),
       translations => '{"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}');

-- A refused row fails this statement; psql prints the hint.
INSERT INTO push.message (hub, tag, content) VALUES (:'hub', '(a || b', '{}');
\echo refused :SQLSTATE: :LAST_ERROR_MESSAGE
