import Postgres

extension TestDatabase {
    /// The same database with a login that is a member of `role` and has no other right.
    public func login(as role: String) async throws -> TestDatabase {
        let login = "\(name)_\(role)"  // roles belong to the whole server, and tests share one
        try await database.script(
            """
            DO $$ BEGIN
                IF to_regrole('\(login)') IS NULL THEN CREATE ROLE \(login) LOGIN IN ROLE \(role); END IF;
            END $$
            """)
        // Of two values for one keyword, libpq takes the last.
        let conninfo = conninfo + " user=\(login)"
        return TestDatabase(at: conninfo, name: name, .auto, maximumConnections: 8, clone: clone)
    }
}

extension TestWorker {
    /// The same worker with a login that is a member of `role` and has no other right.
    public func login(as role: String) async throws -> TestWorker {
        var worker = TestWorker(test: try await test.login(as: role), emulator: emulator, hub: hub, settings: settings)
        worker.transport = transport
        worker.connectionString = connectionString
        worker.secondary = secondary
        return worker
    }
}
