import HubEmulator
import PushModel
import PushWorker
import Store
import TestSupport
import Testing

/// Messages that wait for a device or for another message, from the INSERT to the phone.
@Suite(.timeLimit(.minutes(10))) struct WaitJourneyTests {
    /// Registers a phone for a tag of its own and greets it there, in one transaction.
    private func welcome(_ worker: TestWorker, _ device: String) async throws {
        try await worker.test.database.withTransaction { connection in
            try await connection.execute(
                """
                SELECT push.put_device('news', \(device), 'apns', '00FC13AD', tags => ARRAY[\(device)],
                                       templates => '{"news": {"body": "{\\"aps\\":{\\"alert\\":\\"$(message)\\"}}"}}')
                """)
            try await connection.execute(
                "SELECT push.enqueue('news', \(device), '{\"message\": \"Welcome\"}', after_device => \(device))")
        }
    }

    private static func slow(_ operation: Fault.Operation, by milliseconds: Int, upTo most: Int = 0) -> Fault {
        var fault = Fault(.every(1))
        fault.operations = [operation]
        fault.delayMilliseconds = milliseconds
        fault.delayUpToMilliseconds = most
        return fault
    }

    @Test func aGreetingReachesThePhoneThatWasRegisteredWithIt() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Self.slow(.installation, by: 300))
        try await worker.whileWorking { _ in
            for n in 1...20 { try await welcome(worker, "phone-\(n)") }
            try await worker.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 20 }
        }
        for n in 1...20 {
            #expect(try worker.emulator.inbox(of: "phone-\(n)", at: "breaking-news").count == 1, "phone-\(n)")
        }
        #expect(
            try await worker.test.number(
                "SELECT count(*) FROM push.result WHERE note LIKE 'Waited % for the changes of device phone-%: applied.'"
            ) == 20)
        #expect(try await worker.test.number("SELECT count(*) FROM push.waiting") == 0)
        #expect(try await worker.lost() == [])
    }

    @Test func twoHundredPairsArriveInTheirOrderAtASlowHub() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Self.slow(.send, by: 5, upTo: 60))
        try await worker.whileWorking { _ in
            for n in 1...200 {
                let first = try await worker.test.number(
                    """
                    INSERT INTO push.message (hub, tag, content)
                    VALUES ('news', 'order-' || \(Int32(n)), json_build_object('message', \(Int32(n)) || ' 1')) RETURNING id
                    """)
                try await worker.test.database.execute(
                    """
                    INSERT INTO push.message (hub, tag, content, after, after_at_most)
                    VALUES ('news', 'order-' || \(Int32(n)), json_build_object('message', \(Int32(n)) || ' 2'), \(first), '10 min')
                    """)
            }
            try await worker.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 400 }
        }
        let bodies = worker.emulator.journal().filter(\.taken).compactMap(\.body)
        #expect(bodies.count == 400)
        for n in 1...200 {
            let places = [1, 2].map { which in bodies.firstIndex { $0.contains("\"\(n) \(which)\"") } ?? -1 }
            #expect(places[0] >= 0 && places[0] < places[1], "pair \(n): \(places)")
        }
        #expect(try await worker.lost() == [])
    }

    @Test func whatDoesNotComeInTimeIsNotWaitedForAnyLonger() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(1, options: "send_at=now() + interval '1 hour'")
        try await worker.enqueue(1, options: "after, after_at_most=1, '0.3 s'")
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
        }
        #expect(try await worker.statuses() == "accepted 1, scheduled 1")
        #expect(
            try await worker.test.texts("SELECT note FROM push.result WHERE reason = 'waited'").map {
                $0.hasSuffix("for message 1, which has no final result; then it went without.")
            } == [true])
    }

    @Test func aPausedHubKeepsWhatWaitsAndSendsItInOrderLater() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute("SELECT push.pause_hub('news')")
        try await worker.enqueue(1)
        try await worker.enqueue(1, options: "after=1")
        try await worker.whileWorking { _ in
            try await worker.enqueue(1, to: "news", options: "after=2")
            #expect(worker.taken.isEmpty)
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
        }
        #expect(
            try await worker.test.texts("SELECT id::text FROM push.result WHERE status = 'accepted' ORDER BY arrival")
                == ["1", "2", "3"])
    }

    @Test func aDrainSendsWhatWaitsAndEnds() async throws {
        let worker = try await TestWorker.make()
        try await welcome(worker, "ines")
        try await worker.enqueue(1, options: "after=1")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 2")
        #expect(try worker.emulator.inbox(of: "ines", at: "breaking-news").count == 1)
    }

    @Test func whatADeadWorkerHeldIsStillWaitedFor() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(1)
        try await worker.enqueue(1, options: "after=1")
        let dead = try await Workers(database: worker.test.database).register(
            name: "dead", version: "test", leaseSeconds: 1
        ).id
        let queue = Queue(database: worker.test.database, worker: dead)
        #expect(try await queue.claim(hub: 1, priority: .normal, after: .start, limit: 10)?.messages.map(\.id) == [1])
        let working = worker
        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 2 }
        }
        #expect(
            try await worker.test.texts("SELECT id::text FROM push.result WHERE status = 'accepted' ORDER BY arrival")
                == ["1", "2"])
        #expect(try await worker.lost() == [])
    }
}
