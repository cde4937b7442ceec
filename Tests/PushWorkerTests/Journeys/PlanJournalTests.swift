import HubEmulator
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What a plan says is what a worker then sends, post for post and byte for byte, by the journal of the hub.
@Suite(.timeLimit(.minutes(10))) struct PlanJournalTests {
    /// A post as the hub sees it.
    private struct Seen: Hashable, CustomStringConvertible {
        let hub: String
        /// nil: a broadcast, or handles.
        let tags: String?
        let format: String
        /// Sorted: of a send to handles the hub journals how many there are.
        let handles: Int?
        let body: String

        var description: String { "\(hub) \(tags ?? "-") \(handles.map(String.init) ?? "") \(format) \(body)" }
    }

    private func seen(_ post: Post, at hub: HubSettings) -> Seen {
        let (tags, handles): (String?, Int?) =
            switch post.target {
            case .tag(let tag): (tag, nil)
            case .broadcast: (nil, nil)
            case .handles(let handles): (nil, handles.count)
            }
        return Seen(
            hub: hub.hub, tags: tags, format: post.format, handles: handles,
            body: String(decoding: post.body, as: UTF8.self))
    }

    private func seen(_ entry: JournalEntry) -> Seen {
        var body = entry.body ?? ""
        // The first part of a batch is what it says.
        if let part = body.firstMatch(
            of: /^--[^\n]+notification\r\n\r\n(.*)\r\n--/.dotMatchesNewlines().repetitionBehavior(.reluctant))
        {
            body = String(part.1)
        }
        return Seen(
            hub: entry.hub, tags: entry.tags, format: entry.format ?? "", handles: entry.handles, body: body)
    }

    /// Posts and refused messages of all that is due.
    private func planned(_ worker: TestWorker) async throws -> (posts: [Seen], refused: [String]) {
        let hubs = Dictionary(uniqueKeysWithValues: RandomTable.hubs.map { ($0.name, $0) })
        return try await PlanReader.read(worker.test.database) { reader in
            var posts: [Seen] = []
            var refused: [Refusal] = []
            for lane in try await reader.lanes() {
                let hub = try #require(hubs[lane.settings.name])
                var position = DuePosition.start
                while let claim = try await reader.claim(lane, after: position) {
                    position = claim.position
                    let plan = Plan(claim.messages, for: hub, now: reader.asOf, runContents: claim.runContents)
                    posts += plan.posts.map { seen($0, at: hub) }
                    refused += plan.refusals + claim.ended
                }
            }
            return (
                posts, refused.sorted { $0.message < $1.message }.map { "\($0.message) \($0.reason.rawValue)" }
            )
        }
    }

    /// Messages that ended without a post, with their reasons.
    private func ended(_ worker: TestWorker, after last: Int64) async throws -> [String] {
        try await worker.test.texts(
            """
            SELECT s.id || ' ' || s.reason FROM push.message_status s
             WHERE s.id > \(last) AND s.status IN ('rejected', 'expired', 'duplicate') AND s.post IS NULL
             ORDER BY s.id
            """)
    }

    @Test(arguments: 0..<4) func aPlanIsWhatADrainSends(part: UInt64) async throws {
        let worker = try await TestWorker.make(hubs: RandomTable.hubs)
        var (sent, last, refusedStatements) = (0, Int64(0), 0)
        for seed in (part * 50)..<(part * 50 + TestDepth.of(15, full: 50)) {
            let table = RandomTable(seed: seed)
            for statement in table.statements + table.afterwards {
                do throws(DatabaseError) {
                    try await worker.test.database.script(statement)
                } catch {
                    // A statement of random rows may break a rule of the table.
                    guard error.sqlState == "23514" else { throw error }
                    refusedStatements += 1
                }
            }
            // What the table ends itself, such as a translation of a content that was sent, is in no plan.
            let atOnce = try await ended(worker, after: last)
            let (plan, refused) = try await planned(worker)
            worker.emulator.clearJournal()
            try await worker.drain()
            let journal = worker.emulator.journal().map(seen)
            let (missing, extra) = (Self.difference(plan, journal), Self.difference(journal, plan))
            #expect(missing.isEmpty && extra.isEmpty, "seed \(seed)\nnot sent: \(missing)\nnot planned: \(extra)")
            let ended = try await ended(worker, after: last).filter { !atOnce.contains($0) }
            #expect(ended == refused, "seed \(seed)")
            last = try await worker.test.number("SELECT max(id) FROM push.message")
            sent += journal.count
        }
        #expect(sent > 150 && refusedStatements < 50, "\(sent), \(refusedStatements)")
    }

    private static func difference(_ all: [Seen], _ without: [Seen]) -> [Seen] {
        var rest = Dictionary(without.map { ($0, 1) }, uniquingKeysWith: +)
        return all.filter { one in
            defer { rest[one, default: 0] -= 1 }
            return rest[one, default: 0] <= 0
        }
    }
}
