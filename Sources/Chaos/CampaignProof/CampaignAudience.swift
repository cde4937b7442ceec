import Postgres

/// Whom the campaign of a chaos run is for: the keys 1 to `count`, each with a tag of its own.
public struct CampaignAudience: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// Has no name: the text says "friend" and shares a post with others like it.
        case unnamed
        /// The text has their name, and no one else's.
        case named
        /// Their tag breaks a rule: rejected at once, never sent.
        case unreachable
        /// In push.suppression: gets no message.
        case suppressed
    }

    public let count: Int

    public init(count: Int) { self.count = count }

    public var keys: ClosedRange<Int> { 1...count }

    /// A stretch of keys that are all suppressed: longer than a slice when there are a million, so that some slices are empty.
    private var stretch: ClosedRange<Int> { count * 9 / 20 + 1...count * 19 / 40 + 1 }

    public func kind(of key: Int) -> Kind {
        if stretch.contains(key) || key % 997 == 5 { return .suppressed }
        if key % 499 == 3 { return .unreachable }
        return key % 25 == 7 ? .named : .unnamed
    }

    /// The key of a tag; nil: it is nobody's.
    func key(of tag: Substring) -> Int? {
        guard tag.hasPrefix("user:"), let key = Int(tag.dropFirst(5)), keys.contains(key) else { return nil }
        return key
    }

    /// What stands between two `#` in the text of this recipient.
    func marker(of key: Int) -> String? { kind(of: key) == .named ? "\(key)" : nil }

    /// Table, view, rights and suppressions, as docs/campaigns.md has them.
    func make(in database: Database) async throws {
        let (count, first, last) = (Int64(count), Int64(stretch.lowerBound), Int64(stretch.upperBound))
        try await database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.customer (id bigint PRIMARY KEY, tag text NOT NULL, first_name text);
            CREATE VIEW marketing.lapsed AS
            SELECT id AS key, tag, json_strip_nulls(json_build_object('name', first_name)) AS properties
              FROM marketing.customer;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            """)
        try await database.execute(
            """
            INSERT INTO marketing.customer
            SELECT n, 'user:' || n || CASE WHEN n % 499 = 3 THEN '!' ELSE '' END,
                   CASE WHEN n % 25 = 7 THEN 'Ada #' || n || '#' END
              FROM generate_series(1, \(count)::bigint) n
            """)
        try await database.execute("ANALYZE marketing.customer")
        try await database.execute(
            """
            SELECT CASE WHEN c.id % 2 = 0 AND c.tag NOT LIKE '%!' THEN push.suppress('tag', c.tag)
                        ELSE push.suppress('key', c.id::text)
                    END
              FROM marketing.customer c
             WHERE c.id BETWEEN \(first) AND \(last) OR c.id % 997 = 5
            """)
    }

    /// Sent over ten seconds at least, so that a small run is not over before the last disturbance; a million is not slowed down.
    var spec: String {
        """
        {"hubs": ["news"], "audience": {"view": "marketing.lapsed"}, "fallback": "en", "rate": \(max(1, count / 10)),
         "content": {"en": {"title": "We miss you, {{name|friend}}"},
                     "fr": {"title": "Vous nous manquez, {{name|cher lecteur}}"},
                     "": {"url": "https://example.com/back"}}}
        """
    }
}
