import Postgres
import PushModel
import Store
import TestSupport

@testable import Console

/// A database with the hub `news`, and the login of a console.
struct ConsoleBench {
    let test: TestDatabase
    let login: TestDatabase
    let hub: Int32

    static func make() async throws -> ConsoleBench {
        let test = try await TestDatabase.make()
        let hub = try await Hubs(database: test.database).register(TestWorker.news)
        return ConsoleBench(test: test, login: try await test.login(as: "push_console"), hub: hub)
    }

    /// - Parameter now: seconds since 1970.
    func console(
        _ rights: Set<Right> = Set(Right.allCases), named name: String = "Ann",
        options: ConsoleOptions = ConsoleOptions(),
        now: Double = 1_800_000_000
    ) -> TestConsole {
        TestConsole(login.database, person: Person(name, rights: rights), options: options, now: { now })
    }

    /// A worker that beats once.
    ///
    /// - Parameter report: of the hub `news`, with the settings that it is registered with unless it says otherwise.
    func beat(
        _ name: String = "host/1", _ change: (inout HubReport) -> Void = { _ in }
    ) async throws {
        let workers = Workers(database: test.database)
        let worker = try await workers.register(name: name, version: "test").id
        var report = HubReport(hub: hub, window: 64, inFlight: 12, rate: 30)
        change(&report)
        _ = try await workers.beat(worker, doing: "posting", reports: [report])
    }
}
