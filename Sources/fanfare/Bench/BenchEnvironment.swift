import Configuration
import PushWorker
import Foundation
import Logging
import Postgres
import PushModel
import Signing
import Store

/// What a bench measures on: an empty database with the schema, and a hub that accepts everything.
struct BenchEnvironment: Sendable {
    /// The one hub, and the name it has.
    static let hub = "bench"

    let ground: ScratchDatabase
    let plan: BenchPlan
    let database: Database
    let sink: BenchSink
    /// For the worker.
    let settings: Settings
    /// The hub's number in the database.
    let number: Int32

    /// - Parameter settings: of the user; only how its database and its dispatch are used comes from them.
    /// - Throws: `DatabaseError`; the caller still owns the database.
    static func open(
        on ground: ScratchDatabase, _ settings: Settings, _ plan: BenchPlan
    ) async throws -> BenchEnvironment {
        let sink = try await BenchSink.start()

        var own = Settings()
        own.database = settings.database
        own.database.url = Secret(ground.url)
        own.dispatch = settings.dispatch
        own.dispatch.slots = max(own.dispatch.slots, plan.window)
        own.dispatch.drainSeconds = 5
        var entry = HubSettings(name: Self.hub)
        entry.window = plan.window
        own.hubs = [
            Self.hub: HubConfiguration(settings: entry, connectionString: sink.connectionString)
        ]
        let database = Database(
            DatabaseSettings(
                url: ground.url, applicationName: "fanfare bench",
                prepare: settings.database.prepare == .never ? .never : .auto, maximumConnections: plan.sessions))
        do {
            _ = try await Schema(database: database, files: SchemaFile.allWithoutRoles).migrate(
                appVersion: fanfareVersion)
            let number = try await Hubs(database: database).register(entry)
            return BenchEnvironment(
                ground: ground, plan: plan, database: database, sink: sink, settings: own, number: number)
        } catch {
            await database.close()
            await sink.stop()
            throw error
        }
    }

    /// Closes the hub and the sessions.
    func close() async {
        await sink.stop()
        await database.close()
    }

    /// Everything, one after the other.
    ///
    /// - Parameter show: called before each step, with what it is. What it throws ends the bench.
    func measure(_ show: (String) async throws -> Void) async throws -> BenchResults {
        let server = try await ServerFacts.read(from: database, clock: Clock.system.wall)
        let enqueuing = BenchEnqueuing(database: database, plan: plan)
        try await show("round trips and commits")
        let roundTrip = try await enqueuing.roundTrips()
        let bareInsert = try await enqueuing.bareInserts()
        try await show("single INSERTs of messages")
        let insert = try await enqueuing.inserts()
        let insertsAtOnce = try await enqueuing.insertsAtOnce()
        try await show("\(plan.messages) messages by INSERT ... SELECT")
        let bulk = try await enqueuing.bulk(plan.messages)
        try await show("the worker's statements, one message a post")
        let statements = BenchStatements(database: database, hub: number, plan: plan)
        let alone = try await statements.run(perPost: 1)
        _ = try await enqueuing.bulk(plan.messages)
        try await show("the worker's statements, \(BenchPlan.packed) messages a post")
        let packed = try await statements.run(perPost: BenchPlan.packed)
        let whole = EndToEndBench(site: self, enqueuing: enqueuing)
        try await show("from INSERT to the hub, \(plan.followed) messages one by one")
        let idle = try await whole.idle()
        _ = try await enqueuing.bulk(plan.messages)
        try await show("the whole, \(plan.messages) messages")
        return BenchResults(
            plan: plan,
            server: .init(
                version: server.version, ground: ground.description, fsync: server.fsync,
                synchronousCommit: server.synchronousCommit, isPooled: server.isPooled),
            processors: ProcessInfo.processInfo.activeProcessorCount, roundTrip: roundTrip, bareInsert: bareInsert,
            insert: insert, insertsAtOnce: insertsAtOnce, bulk: bulk, alone: alone, packed: packed, idle: idle,
            whole: try await whole.run())
    }
}
