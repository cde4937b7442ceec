// An order service that enqueues inside its own transaction: Go with database/sql and lib/pq.
// PGHOST, PGDATABASE and PGUSER name the database.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/lib/pq"
)

var hub = "news"

var errCardDeclined = errors.New("card declined")

func inTransaction(db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after a commit
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// The order and its message, or neither.
func placeOrder(db *sql.DB, customer int, total float64, cardIsGood bool) (order, message int64, err error) {
	err = inTransaction(db, func(tx *sql.Tx) error {
		if err := tx.QueryRow("INSERT INTO orders (customer, total) VALUES ($1, $2) RETURNING id",
			customer, total).Scan(&order); err != nil {
			return err
		}
		content, err := json.Marshal(map[string]string{"message": fmt.Sprintf("We have your order %d.", order)})
		if err != nil {
			return err
		}
		if err := tx.QueryRow("INSERT INTO push.message (hub, tag, content) VALUES ($1, $2, $3) RETURNING id",
			hub, fmt.Sprintf("customer-%d", customer), string(content)).Scan(&message); err != nil {
			return err
		}
		if !cardIsGood {
			return errCardDeclined
		}
		return nil
	})
	return
}

// Safe to call twice: the key is the event, and the second call gets the first message's id.
func shipOrder(db *sql.DB, order int64, customer int) (message int64, inserted bool, err error) {
	const translations = `{"en": {"message": "Your order is on its way."}, "fr": {"message": "Votre commande est en route."}}`
	err = inTransaction(db, func(tx *sql.Tx) error {
		if _, err := tx.Exec("UPDATE orders SET shipped_at = coalesce(shipped_at, now()) WHERE id = $1", order); err != nil {
			return err
		}
		return tx.QueryRow(
			"SELECT id, inserted FROM push.enqueue(hub => $1, tag => $2, translations => $3, dedupe_key => $4)",
			hub, fmt.Sprintf("customer-%d", customer), translations, fmt.Sprintf("order-%d-shipped", order),
		).Scan(&message, &inserted)
	})
	return
}

// Call it again to move the reminder: it takes the place of the one that still waits.
func remind(db *sql.DB, order int64, customer, days int) (message int64, replaced sql.NullInt64, err error) {
	err = db.QueryRow(
		`SELECT id, replaced FROM push.enqueue(
		     hub => $1, tag => $2, content => $3, send_at => now() + make_interval(days => $4),
		     dedupe_key => $5, replace => true)`,
		hub, fmt.Sprintf("customer-%d", customer), `{"message": "How do you like it?"}`, days, fmt.Sprintf("order-%d-review", order),
	).Scan(&message, &replaced)
	return
}

// Both by the key: no id has to be kept.
func dropReminder(db *sql.DB, order int64) (message sql.NullInt64, answer string, err error) {
	err = db.QueryRow("SELECT id, answer FROM push.cancel_own(dedupe_key => $1, hub => $2)",
		fmt.Sprintf("order-%d-review", order), hub).Scan(&message, &answer)
	return
}

func main() {
	if name := os.Getenv("PUSH_HUB"); name != "" {
		hub = name
	}
	db, err := sql.Open("postgres", "")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	order, message, err := placeOrder(db, 42, 19.9, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("order %d: message %d\n", order, message)

	if _, _, err := placeOrder(db, 43, 5, false); errors.Is(err, errCardDeclined) {
		fmt.Println("rolled back: no order, no message")
	}

	for n := 0; n < 2; n++ {
		message, inserted, err := shipOrder(db, order, 42)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("shipped: message %d, inserted %t\n", message, inserted)
	}

	for _, days := range []int{3, 7} {
		message, replaced, err := remind(db, order, 42, days)
		if err != nil {
			log.Fatal(err)
		}
		what := "nothing"
		if replaced.Valid {
			what = fmt.Sprint(replaced.Int64)
		}
		fmt.Printf("reminder: message %d, replaced %s\n", message, what)
	}
	dropped, answer, err := dropReminder(db, order)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("no reminder: message %d %s\n", dropped.Int64, answer)

	_, err = db.Exec("INSERT INTO push.message (hub, tag, content) VALUES ($1, '(a || b', '{}')", hub)
	var refusal *pq.Error
	if errors.As(err, &refusal) {
		fmt.Printf("refused %s: %s\nhint: %s\n", refusal.Code, refusal.Message, refusal.Hint)
	}
}
