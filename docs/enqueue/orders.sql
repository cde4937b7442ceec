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

-- Run again, it moves the reminder: the new message takes the place of the one that still waits.
SELECT format('reminder: message %s, replaced %s', id, coalesce(replaced::text, 'nothing'))
  FROM push.enqueue(
       hub => :'hub', tag => 'customer-42', content => '{"message": "How do you like it?"}',
       send_at => now() + interval '3 days', dedupe_key => format('order-%s-review', :'order'), replace => true);
SELECT format('reminder: message %s, replaced %s', id, coalesce(replaced::text, 'nothing'))
  FROM push.enqueue(
       hub => :'hub', tag => 'customer-42', content => '{"message": "How do you like it?"}',
       send_at => now() + interval '7 days', dedupe_key => format('order-%s-review', :'order'), replace => true);
SELECT format('no reminder: message %s %s', id, answer)
  FROM push.cancel_own(dedupe_key => format('order-%s-review', :'order'), hub => :'hub');

-- A refused row fails this statement; psql prints the hint.
INSERT INTO push.message (hub, tag, content) VALUES (:'hub', '(a || b', '{}');
\echo refused :SQLSTATE: :LAST_ERROR_MESSAGE
