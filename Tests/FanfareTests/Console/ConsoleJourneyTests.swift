import Glibc
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

@testable import Console

/// People at the console of a real worker, with a hub behind it, in a real browser.
@Suite(.timeLimit(.minutes(10))) struct ConsoleJourneyTests {
    /// A worker with pages, and a hub `news` that took ten messages.
    private static func start(_ persons: ServiceBench.Persons) async throws -> (ServiceBench, ServiceBench.Process) {
        let service = try await ServiceBench()
        try await service.configureConsole(persons, members: #""name": "production""#)
        let run = try await start(service)
        try await service.enqueue(1...10)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 10 }
        return (service, run)
    }

    /// A worker with both keys of the hub.
    private static func start(
        _ service: ServiceBench, with environment: [String: String] = [:]
    ) async throws -> ServiceBench.Process {
        let other = try #require(service.emulator.connectionString(for: "old", policy: "other"))
        let key = ["FANFARE_HUBS_NEWS_SECONDARY_CONNECTION_STRING": other.reveal()]
        return try await service.start(with: environment.merging(key) { $1 })
    }

    /// Messages that meet a fault, until they have the status.
    private static func strike(
        _ service: ServiceBench, _ fault: Fault, _ numbers: ClosedRange<Int>, _ status: String
    ) async throws {
        let id = try service.emulator.add(fault)
        try await service.enqueue(numbers)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = \(status)::push.status") {
            $0 == numbers.count
        }
        service.emulator.removeFault(id)
    }

    /// Runs a script that has to do all actions with these rights.
    private static func browse(
        _ script: String, _ service: ServiceBench, at address: String, doing rights: Set<Right>
    ) async throws {
        let actions = ActionBook.all.filter { rights.contains($0.rights[0]) }.map { $0.name }
        #expect(!actions.isEmpty)
        try await Browser.run(
            script, at: address, named: "console-real", try #require(service.emulator.endpoint),
            service.test.conninfo, actions.joined(separator: " "))
    }

    /// Each action is done by one of the two journeys.
    private static let onCall: Set<Right> = [.look, .operate]
    private static let owning: Set<Right> = Set(Right.allCases).subtracting(onCall)

    @Test(.enabled(if: Browser.python.isExpected, Tool.advice))
    func somebodyOnCallFindsWhatIsWrongAndMendsIt() async throws {
        let (service, run) = try await Self.start(["ana": "look,operate", "ben": "look"])
        try await Self.strike(service, Fault(.next(3), status: 400), 11...13, "rejected")
        try await Self.strike(service, Fault(.next(2), closing: .afterBody), 14...15, "in_doubt")
        try service.emulator.add(Fault(.next(1_000_000), status: 401))
        try await service.enqueue(16...18)
        try await service.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
        // The script ends the worker while a page is open, and makes a table when it has seen that. The next one has the same address,
        // and rescues no other worker before the script does.
        let (address, pages) = (try service.consoleAddress(), "127.0.0.1:\(try service.consolePort())")
        let settings = try service.scratch.read("config.json").replacing("127.0.0.1:0", with: pages)
        try service.scratch.write(settings, to: "config.json")
        let again = Task {
            #expect(await run.ended == 0)
            try await service.until("SELECT count(*) FROM pg_class WHERE oid = to_regclass('public.seen')")
            return try await Self.start(service, with: ["FANFARE_DISPATCH_LEASE_SECONDS": "300"])
        }

        try await Self.browse("console_oncall", service, at: address, doing: Self.onCall)
        try await service.test.database.execute("CREATE TABLE IF NOT EXISTS public.seen ()")

        for name in ["overview", "held", "erase"] { #expect(Browser.hasScreenshot("console-real-\(name)")) }
        let who = try await service.test.texts(
            "SELECT DISTINCT coalesce(person, who) FROM push.audit WHERE action = 'open_gate'")
        #expect(who == ["ana"])
        // Where the script failed before.
        let mine: SQL = "SELECT count(*) FROM push.worker WHERE name LIKE \("%/\(run.id)")"
        if try await service.test.number(mine) > 0 { run.signal(SIGTERM) }
        let next = try await again.value
        next.signal(SIGTERM)
        #expect(await next.ended == 0)
    }

    @Test(.enabled(if: Browser.python.isExpected, Tool.advice))
    func anOwnerWithoutAShellSendsACampaignAndStopsIt() async throws {
        let (service, run) = try await Self.start(["olga": "campaigns", "paul": "approve"])
        try await service.test.database.script(
            """
            SELECT push.make_list('everybody');
            INSERT INTO push.list_member (list, key, tag)
            SELECT id, lpad(n::text, 5, '0'), 'user:' || n FROM push.list, generate_series(1, 20000) n;
            SELECT push.make_list('team');
            INSERT INTO push.list_member (list, key, tag)
            SELECT id, n::text, 'team:' || n FROM push.list, generate_series(1, 5) n WHERE name = 'team';
            SELECT push.create_campaign(
                'autumn', '{"hubs": ["news"], "audience": {"list": "team"}, "content": {"": {"message": "Leaves fall"}}}');
            """)

        try await Self.browse("console_owner", service, at: try service.consoleAddress(), doing: Self.owning)

        let runs = try await service.test.texts(
            "SELECT concat_ws(' ', key, state, started_by) FROM push.run WHERE NOT is_test AND key <> 'first'")
        #expect(runs == ["2027/03 % cancelled olga"])
        let sent = service.taken().count { $0.contains("Spring is here") }
        #expect((1..<20_001).contains(sent), "\(sent)")
        #expect(
            try await service.test.texts("SELECT person FROM push.audit WHERE action = 'approve'") == ["paul"])
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }
}
