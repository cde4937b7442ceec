// An order service that enqueues inside its own transaction: Node.js with pg.
// PGHOST, PGDATABASE and PGUSER name the database.
const { Client } = require("pg");

const hub = process.env.PUSH_HUB || "news";

async function inTransaction(db, work) {
  await db.query("BEGIN");
  try {
    const result = await work();
    await db.query("COMMIT");
    return result;
  } catch (error) {
    await db.query("ROLLBACK");
    throw error;
  }
}

// The order and its message, or neither.
function placeOrder(db, customer, total, cardIsGood = true) {
  return inTransaction(db, async () => {
    const order = await db.query(
      "INSERT INTO orders (customer, total) VALUES ($1, $2) RETURNING id", [customer, total]);
    const id = order.rows[0].id;
    const message = await db.query(
      "INSERT INTO push.message (hub, tag, content) VALUES ($1, $2, $3) RETURNING id",
      [hub, `customer-${customer}`, { message: `We have your order ${id}.` }]);
    if (!cardIsGood) throw new Error("card declined");
    return { order: id, message: message.rows[0].id };
  });
}

// Safe to call twice: the key is the event, and the second call gets the first message's id.
function shipOrder(db, order, customer) {
  return inTransaction(db, async () => {
    await db.query("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = $1", [order]);
    const { rows } = await db.query(
      "SELECT id, inserted FROM push.enqueue(hub => $1, tag => $2, translations => $3, dedupe_key => $4)",
      [hub, `customer-${customer}`,
        { en: { message: "Your order is on its way." }, fr: { message: "Votre commande est en route." } },
        `order-${order}-shipped`]);
    return rows[0];
  });
}

// Call it again to move the reminder: it takes the place of the one that still waits.
async function remind(db, order, customer, days) {
  const { rows } = await db.query(
    `SELECT id, replaced FROM push.enqueue(
         hub => $1, tag => $2, content => $3, send_at => now() + make_interval(days => $4),
         dedupe_key => $5, replace => true)`,
    [hub, `customer-${customer}`, { message: "How do you like it?" }, days, `order-${order}-review`]);
  return rows[0];
}

// Both by the key: no id has to be kept.
async function dropReminder(db, order) {
  const { rows } = await db.query(
    "SELECT id, answer FROM push.cancel_own(dedupe_key => $1, hub => $2)", [`order-${order}-review`, hub]);
  return rows[0];
}

async function main() {
  const db = new Client();
  await db.connect();
  try {
    const placed = await placeOrder(db, 42, 19.9);
    console.log(`order ${placed.order}: message ${placed.message}`);

    await placeOrder(db, 43, 5, false).catch(() => console.log("rolled back: no order, no message"));

    for (let n = 0; n < 2; n++) {
      const shipped = await shipOrder(db, placed.order, 42);
      console.log(`shipped: message ${shipped.id}, inserted ${shipped.inserted}`);
    }

    for (const days of [3, 7]) {
      const reminder = await remind(db, placed.order, 42, days);
      console.log(`reminder: message ${reminder.id}, replaced ${reminder.replaced ?? "nothing"}`);
    }
    const dropped = await dropReminder(db, placed.order);
    console.log(`no reminder: message ${dropped.id} ${dropped.answer}`);

    try {
      await db.query("INSERT INTO push.message (hub, tag, content) VALUES ($1, '(a || b', '{}')", [hub]);
    } catch (error) {
      console.log(`refused ${error.code}: ${error.message}`);
      console.log(`hint: ${error.hint}`);
    }
  } finally {
    await db.end();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
