# A small order service that tells customers by push: Ruby with Active Record.
#
# A message is written in the transaction that changes the order: both are kept, or neither. The login is a member of
# push_enqueue and can do nothing else in the schema push. PGHOST, PGDATABASE and PGUSER name the database.
require "active_record"

HUB = ENV.fetch("PUSH_HUB", "news")

class CardDeclined < StandardError; end

class Order < ActiveRecord::Base; end

# A row of push.message. nil means the column's default.
class Message < ActiveRecord::Base
  self.table_name = "push.message"
  self.ignored_columns = %w[created_at enqueued_by stream recipient] # Active Record would write them; the database does
  attribute :hub, default: HUB
  attribute :after_at_most, :string          # such as "30 s"; Active Record 6 and 7 read an interval differently

  # What is enqueued cannot be changed.
  def readonly? = persisted?

  # Enqueues once per key. Returns the id of the message, or of the first one with this key, and whether it was inserted.
  def self.enqueue_once(tag:, translations:, dedupe_key:)
    connection.select_one(sanitize_sql([
      "SELECT id, inserted FROM push.enqueue(hub => ?, tag => ?, translations => ?, dedupe_key => ?)",
      HUB, tag, translations.to_json, dedupe_key]))
  end
end

# The order and its message, or neither.
def place_order(customer, total, card_is_good: true)
  Order.transaction do
    order = Order.create!(customer: customer, total: total)
    message = Message.create!(tag: "customer-#{customer}", content: { message: "We have your order #{order.id}." })
    raise CardDeclined unless card_is_good
    [order.id, message.id]
  end
end

# Stories in several languages, in one statement. content_key says which rows are one story.
def tell(tag, stories)
  rows = stories.flat_map do |key, titles|
    titles.map { |locale, title| { hub: HUB, tag: tag, locale: locale, content: { title: title }, content_key: key } }
  end
  Message.insert_all!(rows).rows.flatten
end

# Safe to call twice: the key is the event, and the second call gets the first message's id.
def ship_order(order, customer)
  Order.transaction do
    Order.where(id: order).update_all("shipped_at = coalesce(shipped_at, now())")
    Message.enqueue_once(
      tag: "customer-#{customer}",
      translations: { en: { message: "Your order is on its way." }, fr: { message: "Votre commande est en route." } },
      dedupe_key: "order-#{order}-shipped")
  end
end

def main
  order, message = place_order(42, 19.9)
  puts "order #{order}: message #{message}"

  begin
    place_order(43, 5, card_is_good: false)
  rescue CardDeclined
    puts "rolled back: no order, no message"
  end

  stories = {
    "order-#{order}-story-1" => { "en" => "Peace", "fr" => "Paix" },
    "order-#{order}-story-2" => { "en" => "Rain", "fr" => "Pluie" },
  }
  puts "two stories: messages #{tell("World", stories).join(" ")}"

  2.times do
    shipped = ship_order(order, 42)
    puts "shipped: message #{shipped["id"]}, inserted #{shipped["inserted"]}"
  end

  begin
    Message.create!(tag: "(a || b", content: {})
  rescue ActiveRecord::StatementInvalid => error
    refusal = error.cause.result
    puts "refused #{refusal.error_field(PG::PG_DIAG_SQLSTATE)}: #{refusal.error_field(PG::PG_DIAG_MESSAGE_PRIMARY)}"
    puts "hint: #{refusal.error_field(PG::PG_DIAG_MESSAGE_HINT)}"
  end
end

ActiveRecord::Base.establish_connection(adapter: "postgresql", database: ENV.fetch("PGDATABASE", "fanfare"))
main if __FILE__ == $PROGRAM_NAME
