import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What a plan reads is what a worker's claims take, and reading it changes nothing.
@Suite(.timeLimit(.minutes(20))) struct PeekTests {
    private static let seedsEach: UInt64 = 15

    private static func make() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        var other = TestWorker.news
        other.name = "other"
        other.localization = .tags
        _ = try await Hubs(database: store.database).register(other)
        return store
    }

    /// One claim, or a page of a plan, without what depends on a clock.
    private struct Page: Equatable {
        var messages: [Message]

        init(_ messages: [Message]) {
            self.messages = messages.map { message in
                var message = message
                (message.expiresAt, message.dueSince) = (0, 0)
                return message
            }
        }
    }

    private struct Taken: Equatable {
        var pages: [Page] = []
        /// Message, status, reason and note.
        var ended: [String] = []
    }

    private struct LaneID: Hashable {
        var hub: Int32
        var priority: Priority
    }

    private static func peek(_ reader: PlanReader, _ lane: PlanLane, limit: Int32) async throws -> Taken {
        var taken = Taken()
        var position = DuePosition.start
        while let claim = try await reader.claim(lane, after: position, limit: limit) {
            #expect(claim.position > position)
            position = claim.position
            if !claim.messages.isEmpty { taken.pages.append(Page(claim.messages)) }
            taken.ended += claim.ended.map { "\($0.message) \($0.status.rawValue) \($0.reason.rawValue) \($0.text)" }
        }
        return taken
    }

    private static func claimAll(
        _ store: StoreFixture, _ lane: LaneID, limit: Int32, after arrival: Int64
    ) async throws -> Taken {
        var taken = Taken()
        var position = DuePosition.start
        while true {
            if let claim = try await store.queue.claim(
                hub: lane.hub, priority: lane.priority, after: position, limit: limit)
            {
                position = claim.position
                taken.pages.append(Page(claim.messages))
                continue
            }
            // Gathering may end everything that it looked at, and then a claim has nothing.
            let left = try await store.test.number(
                """
                SELECT count(*) FROM push.due WHERE hub = \(lane.hub) AND priority = \(lane.priority.rawValue) AND due_at <= now()
                   AND (due_at, id) > (\(position.dueAt), \(position.id))
                """)
            if left == 0 { break }
        }
        taken.ended = try await store.test.texts(
            """
            SELECT concat_ws(' ', r.id, r.status, r.reason, r.note)
              FROM push.result r JOIN push.message m ON m.id = r.id JOIN push.hub h ON h.name = m.hub
             WHERE r.arrival > \(arrival) AND r.status <> 'retrying' AND h.id = \(lane.hub) AND m.priority = \(lane.priority.rawValue)
            """)
        taken.ended.sort()
        return taken
    }

    /// 210 tables in 14 databases: peeked page by page, then claimed until nothing is left.
    @Test(arguments: 0..<14) func aPlanReadsWhatClaimsTake(_ group: UInt64) async throws {
        let store = try await Self.make()
        var (pages, messages, ended) = (0, 0, 0)
        for seed in group * Self.seedsEach..<(group + 1) * Self.seedsEach {
            var queue = RandomQueue(seed: seed)
            // Where a claim passes pointers that yield nothing, how far it gathers depends on the claims before.
            let isPlain = seed % 3 == 0
            for _ in 0..<queue.number(1...30) {
                switch queue.number(1...10) {
                case 1...2 where !isPlain: queue.keyed()
                case 3 where !isPlain: queue.waiting()
                case 4...5: queue.translated()
                case 6: queue.direct()
                default: queue.plain()
                }
            }
            try await store.database.script(queue.statements.joined(separator: ";\n"))
            try await store.database.script(queue.gatherable())
            if seed % 2 == 0 {
                // Some keys are taken: what comes later is late.
                for priority in Priority.allCases {
                    _ = try await store.queue.claim(hub: store.hub, priority: priority, after: .start, limit: 9)
                }
                var late = queue
                late.statements = []
                for _ in 0..<6 where !isPlain { late.keyed() }
                try await store.database.script(late.statements.joined(separator: ";\n") + ";" + queue.gatherable())
            }
            try await store.database.script(queue.ended() + ";" + RandomQueue.tried)

            let limit = Int32(isPlain ? queue.number(1...9) : queue.number(300...1000))
            let arrival = try await store.test.number("SELECT coalesce(max(arrival), 0) FROM push.result")
            let peeked = try await PlanReader.read(store.database) { reader in
                var peeked: [LaneID: Taken] = [:]
                for lane in try await reader.lanes() {
                    peeked[LaneID(hub: lane.hub, priority: lane.priority)] = try await Self.peek(
                        reader, lane, limit: limit)
                }
                return peeked
            }
            for (lane, var plan) in peeked {
                plan.ended.sort()
                let claimed = try await Self.claimAll(store, lane, limit: limit, after: arrival)
                #expect(plan.pages == claimed.pages, "seed \(seed), \(lane)")
                #expect(plan.ended == claimed.ended, "seed \(seed), \(lane)")
                pages += plan.pages.count
                messages += plan.pages.reduce(0) { $0 + $1.messages.count }
                ended += plan.ended.count
            }
            let left = try await store.test.number(
                "SELECT count(*) FROM push.due WHERE due_at <= now() - interval '1 s'")
            #expect(left == 0, "seed \(seed): a lane was not read")
        }
        #expect(pages > 20 && messages > 200 && ended > 10)
    }
}
