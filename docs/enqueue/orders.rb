# An order service that enqueues inside its own transaction: Ruby with pg.
# PGHOST, PGDATABASE and PGUSER name the database.
require "json"
require "pg"

HUB = ENV.fetch("PUSH_HUB", "news")

class CardDeclined < StandardError; end

# The order and its message, or neither.
def place_order(db, customer, total, card_is_good: true)
  db.transaction do
    order = db.exec_params("INSERT INTO orders (customer, total) VALUES ($1, $2) RETURNING id", [customer, total])[0]["id"]
    message = db.exec_params(
      "INSERT INTO push.message (hub, tag, content) VALUES ($1, $2, $3) RETURNING id",
      [HUB, "customer-#{customer}", JSON.generate({ message: "We have your order #{order}." })])[0]["id"]
    raise CardDeclined unless card_is_good
    [order, message]
  end
end

# Safe to call twice: the key is the event, and the second call gets the first message's id.
def ship_order(db, order, customer)
  db.transaction do
    db.exec_params("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = $1", [order])
    translations = { en: { message: "Your order is on its way." }, fr: { message: "Votre commande est en route." } }
    db.exec_params(
      "SELECT id, inserted FROM push.enqueue(hub => $1, tag => $2, translations => $3, dedupe_key => $4)",
      [HUB, "customer-#{customer}", JSON.generate(translations), "order-#{order}-shipped"])[0]
  end
end

# Call it again to move the reminder: it takes the place of the one that still waits.
def remind(db, order, customer, days)
  db.exec_params(<<~SQL, [HUB, "customer-#{customer}", JSON.generate({ message: "How do you like it?" }), days, "order-#{order}-review"])[0]
    SELECT id, replaced FROM push.enqueue(
        hub => $1, tag => $2, content => $3, send_at => now() + make_interval(days => $4),
        dedupe_key => $5, replace => true)
  SQL
end

# Both by the key: no id has to be kept.
def drop_reminder(db, order)
  db.exec_params("SELECT id, answer FROM push.cancel_own(dedupe_key => $1, hub => $2)", ["order-#{order}-review", HUB])[0]
end

db = PG.connect
order, message = place_order(db, 42, 19.9)
puts "order #{order}: message #{message}"

begin
  place_order(db, 43, 5, card_is_good: false)
rescue CardDeclined
  puts "rolled back: no order, no message"
end

2.times do
  shipped = ship_order(db, order, 42)
  puts "shipped: message #{shipped["id"]}, inserted #{shipped["inserted"] == "t"}"
end

[3, 7].each do |days|
  reminder = remind(db, order, 42, days)
  puts "reminder: message #{reminder["id"]}, replaced #{reminder["replaced"] || "nothing"}"
end
dropped = drop_reminder(db, order)
puts "no reminder: message #{dropped["id"]} #{dropped["answer"]}"

begin
  db.exec_params("INSERT INTO push.message (hub, tag, content) VALUES ($1, '(a || b', '{}')", [HUB])
rescue PG::Error => error
  puts "refused #{error.result.error_field(PG::PG_DIAG_SQLSTATE)}: #{error.result.error_field(PG::PG_DIAG_MESSAGE_PRIMARY)}"
  puts "hint: #{error.result.error_field(PG::PG_DIAG_MESSAGE_HINT)}"
end
