import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// A schema that is older or newer than the program: each page shows what it can, and says what to do about the rest.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OtherSchemaTests {
    /// Takes from the schema what another release may not have: all functions for people, and the columns of all views.
    private static let change = """
        DO $$
        DECLARE this record;
        BEGIN
            FOR this IN SELECT oid::regprocedure AS f, proname FROM pg_proc
                         WHERE pronamespace = 'push'::regnamespace AND prokind = 'f' AND proname NOT IN ('schema', 'schema_files', 'iso')
            LOOP
                EXECUTE format('ALTER FUNCTION %s RENAME TO %I', this.f, 'other_' || left(this.proname, 50));
            END LOOP;
            FOR this IN SELECT relname FROM pg_class WHERE relnamespace = 'push'::regnamespace AND relkind = 'v'
            LOOP
                EXECUTE format('ALTER VIEW push.%I RENAME TO %I', this.relname, 'other_' || left(this.relname, 50));
            END LOOP;
        END $$;
        """

    @Test(arguments: [
        ("UPDATE push.release SET release = 0, works_from = 0", "this fanfare needs", "fanfare migrate up"),
        ("INSERT INTO push.release (release, works_from) VALUES (9999, 9999)", "of release 9999", "upgrade fanfare"),
    ])
    func eachPageSaysWhatToDo(release: String, words: String, todo: String) async throws {
        let bench = try await EveryPage.bench()
        try await bench.test.database.script(Self.change + release)
        let console = bench.bench.console()
        for address in EveryPage.addresses where !EveryPage.withoutDatabase.contains(address) {
            let response = try #require(try await console.get(address))
            let page = String(decoding: response.body, as: UTF8.self)
            #expect(response.status == 200 && page.contains(">Ann<"), "\(address): \(response.status)")
            let isSaid = page.contains("The schema of the database is not the one of this program: About says")
            let isWhole = !page.contains("Not shown")
            #expect(isSaid || isWhole || page.contains(words) && page.contains(todo), "\(address): \(page)")
        }
        for address in ["/", "/about"] {
            let page = try await console.page(address)
            #expect(page.contains(words) && page.contains(todo), "\(address)")
        }
        // An action does nothing, and says why.
        let asked = try await console.ask("pause-hub", ["hub": "news"])
        #expect(asked.contains("does not exist") && !asked.contains("name=\"confirmation\""), "\(asked)")
    }

    /// One that works with this program.
    @Test func aNewerSchemaThatWorksIsShownWithANotice() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.execute("INSERT INTO push.release (release, works_from) VALUES (9999, 1)")
        let page = try await bench.console().page("/")
        #expect(page.contains("The schema is newer than this program") && !page.contains("Not shown"))
    }
}
