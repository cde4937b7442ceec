import Chaos
import Postgres
import Store
import TestSupport
import Testing

/// A view of an audience runs code of its owner in the session of whoever reads it. Nothing of it outlives the read.
@Suite(.timeLimit(.minutes(10))) struct HostileViewTests {
    private static let shared = Task { try await make() }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(HostileView.script(owner: "\(test.name)_marketer"))
        return test
    }

    /// What a session has that another statement of it would meet.
    private static let traces: SQL = """
        SELECT concat_ws(E'\n',
            (SELECT string_agg(format('ran as %s', l.who), E'\n') FROM m.log l),
            (SELECT string_agg(format('prepared %s: %s', p.name, p.statement), E'\n') FROM pg_prepared_statements p
              WHERE p.from_sql),
            (SELECT string_agg(format('cursor %s', c.name), E'\n') FROM pg_cursors c WHERE c.is_holdable),
            (SELECT string_agg(format('listens to %s', c.name), E'\n') FROM pg_listening_channels() c(name)),
            (SELECT string_agg(format('lock %s', l), E'\n') FROM pg_locks l
              WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid()),
            (SELECT string_agg(format('table %s', c.relname), E'\n') FROM pg_class c
              WHERE c.relnamespace = pg_my_temp_schema()),
            (SELECT string_agg(format('large object %s', o.oid), E'\n') FROM pg_largeobject_metadata o),
            (SELECT string_agg(format('changed %s', p.oid::regprocedure), E'\n') FROM pg_proc p
              WHERE p.pronamespace = 'push_internal'::regnamespace AND p.proname = 'audience_read'
                AND (NOT p.prosecdef OR p.proacl::text ~ '[{,]=')),
            (SELECT string_agg(format('%s = %s', s.name, s.setting), E'\n' ORDER BY s.name) FROM pg_settings s
              WHERE s.source = 'session'))
        """

    private static func traces(_ session: Database) async throws -> String {
        try await session.query(traces) { rows in try rows.single { row in try row.string() } }
    }

    /// Those who read views, each in its own way: the login that an attack would take over.
    enum Reader: String, CaseIterable, Sendable {
        case worker = "push_worker"
        case owner = "push_campaign"
        case superuser

        /// A transaction each.
        func statements(of view: String, campaign: String, stream: Int64) -> [SQL] {
            switch self {
            case .worker:
                [
                    "SELECT rows::text FROM push_worker.expand_v1(\(stream), 10)",
                    "SELECT push_worker.count_audience_v1(\(stream), 10)::text",
                ]
            case .owner:
                [
                    "SELECT count(*)::text FROM push.check_campaign(\(campaign))",
                    "SELECT push.start_run(\(campaign), gen_random_uuid()::text)::text",
                ]
            case .superuser:
                [
                    "SELECT count(*)::text FROM push.check_campaign(\(campaign))",
                    "SELECT count(*)::text FROM push_internal.audience_zones(\(view), 10)",
                    "SELECT push_internal.audience_rest(\(view), false, NULL, NULL)::text",
                    "SELECT cardinality(push_internal.audience_page(\(view), true, 'UTC', NULL, 10))::text",
                    "SELECT (push_internal.audience_recipient(\(view), '1')).key::text",
                ]
            }
        }
    }

    @Test(arguments: HostileView.all, Reader.allCases)
    func nothingThatAViewDoesOutlivesItsReading(view: HostileView, reader: Reader) async throws {
        let test = try await Self.shared.value
        let run = "\(view.name)-\(reader.rawValue)"
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            run, spec: #"{"hubs": ["news"], "audience": {"view": "m.\#(view.name)"}, "content": {"": {"a": "b"}}}"#,
            draft: false)
        _ = try await campaigns.start(run, key: "k")
        let stream = try await test.number(
            "SELECT t.id FROM push.stream t JOIN push.run r ON r.id = t.run JOIN push.campaign c ON c.id = r.campaign WHERE c.name = \(run)"
        )
        let login = reader == .superuser ? test : try await test.login(as: reader.rawValue)
        let session = login.another(maximumConnections: 1)
        let before = try await Self.traces(session)
        var refusals: Set<String> = []
        // Twice: what a statement leaves prepared, the next of its text would meet.
        for _ in 1...2 {
            for statement in reader.statements(of: "m.\(view.name)", campaign: run, stream: stream) {
                do throws(DatabaseError) {
                    _ = try await session.query(statement) { rows in try rows.map { row in try row.stringOrNil() } }
                } catch {
                    refusals.insert(error.sqlState ?? "none")
                }
                #expect(try await Self.traces(session) == before, "\(statement.text)")
            }
        }
        #expect(refusals == Set([view.refused].compactMap(\.self)), "\(reader)")
        await session.close()
    }
}

extension HostileView: CustomTestStringConvertible {
    public var testDescription: String { name }
}
