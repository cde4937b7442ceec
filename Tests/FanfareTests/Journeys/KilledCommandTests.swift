import Foundation
import ProgramSupport
import TestSupport
import Testing

/// A command that is killed leaves no query behind in the database.
@Suite(.timeLimit(.minutes(10))) struct KilledCommandTests {
    /// Every table is locked, so that whatever a command asks waits.
    @Test(arguments: [
        "status", "check", "eta", "top", "campaign check spring", "campaign status spring", "campaign results spring",
        "campaign list", "campaign show spring", "campaign export spring", "schedule show spring",
        "campaign approve spring --revision 1", "campaign audience show", "suppress list", "suppress export",
        "message list", "message show 1", "doubt list", "device list", "device show 1 --hub news", "hub list",
        "hub show news", "doctor", "migrate status", "migrate verify",
    ])
    func itsQueryEnds(command: String) async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            SELECT push.create_campaign(
                'spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "approval": "one"}');
            """)
        struct Over: Error {}
        await #expect(throws: Over.self) {
            try await site.withDatabase { database in
                try await database.withTransaction { connection in
                    try await connection.script(
                        """
                        DO $$
                        DECLARE
                            name text;
                        BEGIN
                            FOR name IN
                                SELECT c.oid::regclass::text FROM pg_class c
                                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.oid
                            LOOP
                                EXECUTE 'LOCK TABLE ' || name || ' IN ACCESS EXCLUSIVE MODE';
                            END LOOP;
                        END $$
                        """)
                    func backends() async throws -> [String] {
                        // A transaction sees what it saw first.
                        try await connection.execute("SELECT FROM pg_stat_clear_snapshot()")
                        return try await connection.query(
                            """
                            SELECT concat_ws(' ', a.wait_event_type, left(a.query, 60))
                              FROM pg_stat_activity a
                             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
                            """
                        ) { rows in
                            try rows.map { row in try row.string() }
                        }
                    }
                    let running = try RunningProgram(
                        site.fanfare, arguments: command.split(separator: " ").map(String.init))
                    try await Awaited.until("\(command) waits for a lock") {
                        let seen = try await backends()
                        return (seen, seen.contains { $0.hasPrefix("Lock") })
                    }
                    running.signal(SIGKILL)
                    #expect(await running.end == -SIGKILL)
                    try await Awaited.until("its query ends") {
                        let seen = try await backends()
                        return (seen, seen.isEmpty)
                    }
                    throw Over()
                }
            }
        }
    }
}
