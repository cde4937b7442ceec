// An order service that enqueues inside its own transaction: Java with JDBC.
// java -cp postgresql.jar Orders.java jdbc:postgresql://HOST/DATABASE?user=USER
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

public class Orders {
    static final String HUB = System.getenv().getOrDefault("PUSH_HUB", "news");

    static class CardDeclined extends Exception {}

    record Placed(long order, long message) {}

    record Shipped(long message, boolean inserted) {}

    record Reminder(long message, String replaced) {}

    record Dropped(long message, String answer) {}

    /** The order and its message, or neither. */
    static Placed placeOrder(Connection db, int customer, double total, boolean cardIsGood) throws SQLException, CardDeclined {
        db.setAutoCommit(false);
        try (var order = db.prepareStatement("INSERT INTO orders (customer, total) VALUES (?, ?) RETURNING id");
             var message = db.prepareStatement("INSERT INTO push.message (hub, tag, content) VALUES (?, ?, ?::json) RETURNING id")) {
            order.setInt(1, customer);
            order.setDouble(2, total);
            var orders = order.executeQuery();
            orders.next();
            message.setString(1, HUB);
            message.setString(2, "customer-" + customer);
            message.setString(3, "{\"message\": \"We have your order " + orders.getLong(1) + ".\"}");
            var messages = message.executeQuery();
            messages.next();
            if (!cardIsGood) throw new CardDeclined();
            var placed = new Placed(orders.getLong(1), messages.getLong(1));
            db.commit();
            return placed;
        } catch (SQLException | CardDeclined e) {
            db.rollback();
            throw e;
        } finally {
            db.setAutoCommit(true);
        }
    }

    /** Safe to call twice: the key is the event, and the second call gets the first message's id. */
    static Shipped shipOrder(Connection db, long order, int customer) throws SQLException {
        db.setAutoCommit(false);
        try (var update = db.prepareStatement("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = ?");
             var enqueue = db.prepareStatement(
                 "SELECT id, inserted FROM push.enqueue(hub => ?, tag => ?, translations => ?::json, dedupe_key => ?)")) {
            update.setLong(1, order);
            update.executeUpdate();
            enqueue.setString(1, HUB);
            enqueue.setString(2, "customer-" + customer);
            enqueue.setString(3, """
                {"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}""");
            enqueue.setString(4, "order-" + order + "-shipped");
            var rows = enqueue.executeQuery();
            rows.next();
            var shipped = new Shipped(rows.getLong(1), rows.getBoolean(2));
            db.commit();
            return shipped;
        } catch (SQLException e) {
            db.rollback();
            throw e;
        } finally {
            db.setAutoCommit(true);
        }
    }

    /** Call it again to move the reminder: it takes the place of the one that still waits. */
    static Reminder remind(Connection db, long order, int customer, int days) throws SQLException {
        try (var enqueue = db.prepareStatement("""
                 SELECT id, replaced FROM push.enqueue(
                     hub => ?, tag => ?, content => ?::json, send_at => now() + make_interval(days => ?),
                     dedupe_key => ?, replace => true)""")) {
            enqueue.setString(1, HUB);
            enqueue.setString(2, "customer-" + customer);
            enqueue.setString(3, "{\"message\": \"How do you like it?\"}");
            enqueue.setInt(4, days);
            enqueue.setString(5, "order-" + order + "-review");
            var rows = enqueue.executeQuery();
            rows.next();
            return new Reminder(rows.getLong(1), rows.getString(2));
        }
    }

    /** Both by the key: no id has to be kept. */
    static Dropped dropReminder(Connection db, long order) throws SQLException {
        try (var cancel = db.prepareStatement("SELECT id, answer FROM push.cancel_own(dedupe_key => ?, hub => ?)")) {
            cancel.setString(1, "order-" + order + "-review");
            cancel.setString(2, HUB);
            var rows = cancel.executeQuery();
            rows.next();
            return new Dropped(rows.getLong(1), rows.getString(2));
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (var db = DriverManager.getConnection(arguments[0])) {
            var placed = placeOrder(db, 42, 19.9, true);
            System.out.printf("order %d: message %d%n", placed.order(), placed.message());

            try {
                placeOrder(db, 43, 5, false);
            } catch (CardDeclined e) {
                System.out.println("rolled back: no order, no message");
            }

            for (int n = 0; n < 2; n++) {
                var shipped = shipOrder(db, placed.order(), 42);
                System.out.printf("shipped: message %d, inserted %b%n", shipped.message(), shipped.inserted());
            }

            for (int days : new int[] {3, 7}) {
                var reminder = remind(db, placed.order(), 42, days);
                var replaced = reminder.replaced() == null ? "nothing" : reminder.replaced();
                System.out.printf("reminder: message %d, replaced %s%n", reminder.message(), replaced);
            }
            var dropped = dropReminder(db, placed.order());
            System.out.printf("no reminder: message %d %s%n", dropped.message(), dropped.answer());

            try (var insert = db.prepareStatement("INSERT INTO push.message (hub, tag, content) VALUES (?, '(a || b', '{}')")) {
                insert.setString(1, HUB);
                insert.executeUpdate();
            } catch (PSQLException e) {
                System.out.println("refused " + e.getSQLState() + ": " + e.getServerErrorMessage().getMessage());
                System.out.println("hint: " + e.getServerErrorMessage().getHint());
            }
        }
    }
}
