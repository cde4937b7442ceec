<?php
// An order service that enqueues inside its own transaction: PHP with PDO.
// PGHOST, PGDATABASE and PGUSER name the database.
declare(strict_types=1);

define('HUB', getenv('PUSH_HUB') ?: 'news');

class CardDeclined extends Exception {}

function in_transaction(PDO $db, callable $work): mixed
{
    $db->beginTransaction();
    try {
        $result = $work();
        $db->commit();
        return $result;
    } catch (Throwable $error) {
        $db->rollBack();
        throw $error;
    }
}

function row(PDO $db, string $sql, array $values): array
{
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement->fetch(PDO::FETCH_ASSOC);
}

// The order and its message, or neither.
function place_order(PDO $db, int $customer, float $total, bool $card_is_good = true): array
{
    return in_transaction($db, function () use ($db, $customer, $total, $card_is_good) {
        $order = row($db, 'INSERT INTO orders (customer, total) VALUES (?, ?) RETURNING id', [$customer, $total])['id'];
        $message = row($db, 'INSERT INTO push.message (hub, tag, content) VALUES (?, ?, ?) RETURNING id',
            [HUB, "customer-$customer", json_encode(['message' => "We have your order $order."])])['id'];
        if (!$card_is_good) {
            throw new CardDeclined();
        }
        return [$order, $message];
    });
}

// Safe to call twice: the key is the event, and the second call gets the first message's id.
function ship_order(PDO $db, int $order, int $customer): array
{
    return in_transaction($db, function () use ($db, $order, $customer) {
        $db->prepare('UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = ?')->execute([$order]);
        $translations = [
            'en' => ['message' => 'Your order is on its way.'],
            'fr' => ['message' => 'Votre commande est en route.'],
        ];
        return row($db, 'SELECT id, inserted FROM push.enqueue(hub => ?, tag => ?, translations => ?, dedupe_key => ?)',
            [HUB, "customer-$customer", json_encode($translations), "order-$order-shipped"]);
    });
}

// Call it again to move the reminder: it takes the place of the one that still waits.
function remind(PDO $db, int $order, int $customer, int $days): array
{
    return row($db, 'SELECT id, replaced FROM push.enqueue(
            hub => ?, tag => ?, content => ?, send_at => now() + make_interval(days => ?),
            dedupe_key => ?, replace => true)',
        [HUB, "customer-$customer", json_encode(['message' => 'How do you like it?']), $days, "order-$order-review"]);
}

// Both by the key: no id has to be kept.
function drop_reminder(PDO $db, int $order): array
{
    return row($db, 'SELECT id, answer FROM push.cancel_own(dedupe_key => ?, hub => ?)', ["order-$order-review", HUB]);
}

$db = new PDO('pgsql:', getenv('PGUSER') ?: null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);

[$order, $message] = place_order($db, 42, 19.9);
echo "order $order: message $message\n";

try {
    place_order($db, 43, 5, false);
} catch (CardDeclined) {
    echo "rolled back: no order, no message\n";
}

for ($n = 0; $n < 2; $n++) {
    $shipped = ship_order($db, $order, 42);
    printf("shipped: message %d, inserted %s\n", $shipped['id'], $shipped['inserted'] ? 'true' : 'false');
}

foreach ([3, 7] as $days) {
    $reminder = remind($db, $order, 42, $days);
    printf("reminder: message %d, replaced %s\n", $reminder['id'], $reminder['replaced'] ?? 'nothing');
}
$dropped = drop_reminder($db, $order);
printf("no reminder: message %d %s\n", $dropped['id'], $dropped['answer']);

try {
    $db->prepare("INSERT INTO push.message (hub, tag, content) VALUES (?, '(a || b', '{}')")->execute([HUB]);
} catch (PDOException $error) {
    // PDO gives the whole text as one string, with ERROR: and HINT: lines.
    preg_match('/^ERROR:\s+(.*)$/m', $error->errorInfo[2], $what);
    preg_match('/^HINT:\s+(.*)$/m', $error->errorInfo[2], $hint);
    echo "refused {$error->errorInfo[0]}: $what[1]\nhint: $hint[1]\n";
}
