extension TestDatabase {
    /// The tables of the schema.
    public func tables() async throws -> [String] {
        try await texts(
            """
            SELECT c.oid::regclass::text FROM pg_class c
             WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1
            """)
    }

    /// Every table of the schema with all its rows, and how far its numbers are.
    ///
    /// - Parameter butNumbers: without those, which a transaction that is undone uses up.
    public func everything(butNumbers: Bool = false) async throws -> [String] {
        var found: [String] = []
        for table in try await tables() {
            found += try await texts(
                "SELECT '\(raw: table): ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM \(raw: table) t"
            )
        }
        if butNumbers { return found }
        return found
            + (try await texts(
                "SELECT sequencename || ' ' || coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = 'push' ORDER BY 1"
            ))
    }
}
