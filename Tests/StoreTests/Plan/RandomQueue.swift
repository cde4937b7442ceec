import PushModel
import Store
import TestSupport

/// Random rows in every state from which a claim takes them, in two hubs and three classes; all of it is due, will be for an
/// hour, or waits.
struct RandomQueue {
    let seed: UInt64
    var random: SeededRandom
    var statements: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
    }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Columns that all rows of a statement share.
    private mutating func common() -> (names: String, values: String) {
        let priority = pick([0, 1, 1, 1, 2])
        let due = pick([
            "now() - interval '1 h' + interval '\(number(1...40)) s'", "now() - interval '1 h'",
            "now() + interval '1 h'",
        ])
        let expiry = pick(["NULL", "now() + interval '\(number(2...50)) h'"])
        let headers = pick(["NULL", "NULL", #"'{"apns-priority": "5"}'"#])
        return (
            "hub, priority, send_at, expires_at, headers, on_doubt, pack, traceparent",
            """
            '\(pick(["news", "news", "other"]))', \(priority), \(due), \(expiry), \(headers), \(pick(["NULL", "'resend'"])),
            \(pick(["true", "true", "false"])), \(pick(["NULL", "'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'"]))
            """
        )
    }

    private mutating func text(_ size: Int) -> String { #"{"message": "\#(String(repeating: "x", count: size))"}"# }

    mutating func plain(size: Int? = nil) {
        let (names, values) = common()
        statements.append(
            """
            INSERT INTO push.message (tag, content, \(names))
            SELECT '\(pick(["World", "Sport", "a || b", "a && !b"]))' || CASE g WHEN 1 THEN '' ELSE ' || c' END, '\(text(size ?? number(0...30)))', \(values)
              FROM generate_series(1, \(number(1...3))) g
            """)
    }

    mutating func direct() {
        let (names, values) = common()
        statements.append(
            """
            INSERT INTO push.message (handles, format, content, \(names))
            SELECT ARRAY['0\(number(1...9))'], 'apple', '{"aps": {"alert": "hi"}}', \(values)
            """)
    }

    mutating func translated() {
        let (names, values) = common()
        let locales = pick(["{en,fr}", "{en,fr,zh-Hans}", "{en}"])
        statements.append(
            """
            INSERT INTO push.message (tag, locale, content, \(names))
            SELECT 't\(number(1...4))', l, '\(text(number(0...30)))', \(values) FROM unnest('\(locales)'::text[]) l
            """)
    }

    /// One statement of a content whose translations come in several.
    mutating func keyed() {
        let key = "k\(seed)-\(number(1...4))"
        let tag = pick(["'World'", "'Sport'", "'World'"])
        let priority = pick([1, 1, 2])
        for _ in 0..<number(1...2) {
            statements.append(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content, priority)
                SELECT '\(pick(["news", "news", "other"]))', \(tag), l, '\(key)', '\(text(number(0...30)))', \(priority)
                  FROM unnest(ARRAY['\(pick(["en", "EN", "fr"]))', \(pick(["'zh-Hans'", "NULL", "'fr'", "'en'"]))]) l
                """)
        }
    }

    /// A message that waits for another one. Not for one with a key: gathering in another lane may end it before.
    mutating func waiting() {
        statements.append(
            """
            INSERT INTO push.message (hub, priority, tag, content, after, after_at_most)
            SELECT m.hub, \(pick([1, 2])), 'w', '{"message": "later"}', m.id, '2 h'
              FROM (SELECT m.hub, m.id FROM push.message m WHERE m.content_key IS NULL ORDER BY m.id DESC LIMIT 1 OFFSET \(number(0...9))) m
            """)
    }

    /// Makes contents with a key due at some time of the past, each statement for itself.
    func gatherable() -> String {
        """
        WITH due AS MATERIALIZED (
            SELECT d.id, now() - interval '1 h' + (d.id * 7919 % 40) * interval '1 s' AS at FROM push.due d WHERE d.kind = 'k'
        ), content AS (
            UPDATE push.content k SET due_at = d.at FROM due d WHERE k.lead = d.id AND k.due_at > now() - interval '30 min'
        )
        UPDATE push.due d SET due_at = x.at FROM due x WHERE d.id = x.id AND d.kind = 'k' AND d.due_at > now() - interval '30 min'
        """
    }

    /// Ends some waits: by their time, long ago or just now, or because what they wait for is cancelled.
    func ended() -> String {
        """
        WITH due AS MATERIALIZED (
            SELECT w.id, now() + (ARRAY['-60 s', '-20 s', '4 s'])[1 + w.id % 3]::interval AS at FROM push.waiting w WHERE w.id % 5 < 3
        ), wait AS (
            UPDATE push.waiting w SET due_at = d.at, until = d.at - interval '5 s' FROM due d WHERE w.id = d.id
        )
        UPDATE push.due d SET due_at = x.at FROM due x WHERE d.id = x.id;
        SELECT push.cancel(w.after) FROM push.waiting w WHERE w.id % 5 = 3;
        UPDATE push.waiting SET look_at = now() - (id % 60) * interval '1 s' - interval '1 s'
        """
    }

    /// What was tried before, or sent again by a person.
    static let tried = """
        UPDATE push.due SET attempt = id % 4, resent = id % 9 = 0 WHERE kind <> 'k' AND id % 3 = 0
        """
}
