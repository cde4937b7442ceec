import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A build from before a change of the protocol works on while `fanfare migrate up` brings the schema of the next one, and
/// beside workers of the next one. Nothing was released yet, so the older build is made up: it calls a claim with one parameter
/// less, which the file of the claim keeps beside the new one.
@Suite(.timeLimit(.minutes(10))) struct SideBySideTests {
    private static let path = "functions/protocol/claim.sql"

    /// The files of the older build, which has only its own claim, and those of the next one, which keeps it.
    private static func builds() throws -> (older: [SchemaFile], next: [SchemaFile]) {
        let index = try #require(SchemaFile.all.firstIndex { $0.path == path })
        let claim = SchemaFile.all[index].sql
        let older = claim.replacing("claim_v1", with: "claim_v0")
            .replacing(/\n *back_seconds double precision,/, with: "").replacing("back_seconds", with: "NULL")
        #expect(older.contains(/mark_id +bigint,\n +n +int,/) && !older.contains("back_seconds"))
        var files = (older: SchemaFile.all, next: SchemaFile.all)
        files.older[index] = SchemaFile(path, sql: older)
        files.next[index] = SchemaFile(path, sql: claim + older)
        return files
    }

    private struct Claimed {
        var id: Int64
        var messages: [Int64]
    }

    /// Claims by the older build's signature.
    private static func olderClaim(_ hub: Int32, _ queue: Queue) async throws -> Claimed? {
        try await queue.database.query(
            """
            SELECT claim, array_agg(id) FROM push_worker.claim_v0(\(hub), 1::smallint, '-infinity', 0, 50,
                                                                  \(queue.worker.number), \(queue.worker.epoch))
             GROUP BY claim
            """
        ) { rows in try rows.first { row in Claimed(id: try row.int64(), messages: try row.int64Array()) } }
    }

    private static func claim(_ hub: Int32, _ queue: Queue) async throws -> Claimed? {
        try await queue.claim(hub: hub, priority: .normal, after: .start, limit: 50)
            .map { Claimed(id: $0.id, messages: $0.messages.map(\.id)) }
    }

    /// Sends until nothing is due: twenty messages a post, each taken by the hub.
    ///
    /// - Parameter recorded: called with the count of messages after each claim.
    private static func drain(
        _ queue: Queue, by claim: () async throws -> Claimed?, recorded: (Int) async throws -> Void = { _ in }
    ) async throws -> Int {
        var count = 0
        while let claimed = try await claim() {
            let posts = stride(from: 0, to: claimed.messages.count, by: 20).map {
                Array(claimed.messages[$0..<min($0 + 20, claimed.messages.count)])
            }
            let numbered = posts.enumerated().map { index, ids in
                (n: index + 1, post: Post(messages: ids, target: .tag("World"), body: Array("{}".utf8)))
            }
            #expect(try await queue.intend(numbered[...], under: claimed.id) != nil)
            var completion = Completion()
            completion.answered = posts.enumerated().map { index, ids in
                var answered = Completion.Answered.accepted(Claim.post(index + 1, of: claimed.id))
                answered.messages = ids
                return answered
            }
            completion.finished = [claimed.id]
            #expect(try await queue.complete(completion).answered == posts.count)
            count += claimed.messages.count
            try await recorded(count)
        }
        return count
    }

    @Test func anOlderBuildDrainsItsShareBeforeWhileAndAfterTheSchemaIsMigrated() async throws {
        let builds = try Self.builds()
        let test = try await TestDatabase.make(migrated: false)
        _ = try await Schema(database: test.database, files: builds.older).migrate(appVersion: "older")
        let hub = try await Hubs(database: test.database).register(TestWorker.news)
        func queue(_ name: String) async throws -> Queue {
            Queue(
                database: test.another(maximumConnections: 2),
                worker: try await Workers(database: test.database).register(name: name, version: "test").id)
        }
        let older = try await queue("older/1")
        let newer = try await queue("newer/1")
        try await test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'tag' || g, '{"message": "hi"}', now() - interval '1 minute' FROM generate_series(1, 10000) g
            """)
        // The next build's claim is not there yet.
        let missing = await #expect(throws: DatabaseError.self) { try await Self.claim(hub, newer) }
        #expect(missing?.sqlState == "42883")

        let begun = AsyncStream.makeStream(of: Void.self)
        async let byOlder = Self.drain(older, by: { try await Self.olderClaim(hub, older) }) { count in
            if count >= 500 { begun.continuation.finish() }
        }
        for await _ in begun.stream {}
        let run = try await Schema(database: test.another(maximumConnections: 1), files: builds.next)
            .migrate(appVersion: "next")
        #expect(run.map(\.path) == [Self.path, "roles.sql"])
        let before = try await test.number("SELECT count(*) FROM push.result")
        let ofNewer = try await Self.drain(newer) { try await Self.claim(hub, newer) }
        let ofOlder = try await byOlder

        #expect(ofOlder + ofNewer == 10_000)
        #expect(
            before >= 500 && Int64(ofOlder) > before,
            "\(ofOlder) of the older build, \(before) before")
        #expect(ofNewer > 500, "\(ofNewer) of the newer")
        #expect(
            try await test.texts("SELECT status || ' ' || count(*) FROM push.result GROUP BY status") == [
                "accepted 10000"
            ])
        #expect(try await test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
        for queue in [older, newer] { await queue.database.close() }
        await test.database.close()
    }
}
