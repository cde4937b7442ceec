import PushWorker
import HTTPTransport
import HubEmulator
import Providers
import PushModel
import Signing
import TestSupport
import Testing

/// Equal contents share a request; handles reach devices without a tag.
@Suite struct PackingJourneyTests {
    @Test func oneContentForManyTagsLeavesInFewPosts() async throws {
        let worker = try await TestWorker.make()
        // A phone with two tags of one post shows the push once.
        try worker.emulator.register(
            Installation(
                "anna", pushChannel: .handle("AA00"), tags: ["tag1", "tag2"],
                templates: ["news": #"{"aps":{"alert":"$(message)"}}"#]), at: "breaking-news")
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'tag' || n, '{"message": "hi"}' FROM generate_series(1, 45) n
            """)

        let summary = try await worker.drain()

        #expect(summary.posts == 3)
        #expect(try await worker.statuses() == "accepted 45")
        let tags = worker.emulator.journal().compactMap(\.tags)
        #expect(tags.map { $0.components(" || ").count }.sorted() == [5, 20, 20])
        #expect(Set(tags.flatMap { $0.components(" || ") }) == Set((1...45).map { "tag\($0)" }))
        #expect(try worker.emulator.inbox(of: "anna", at: "breaking-news").map(\.alert?.body) == ["hi"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.post") == 3)
        #expect(try await worker.lost() == [])
    }

    @Test func twoRowsForOneTagAreTwoPushes() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.register(
            Installation(
                "anna", pushChannel: .handle("AA00"), tags: ["World"],
                templates: ["news": #"{"aps":{"alert":"$(message)"}}"#]), at: "breaking-news")
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'World', '{"message": "tick"}' FROM generate_series(1, 3)
            """)

        try await worker.drain()

        #expect(
            try worker.emulator.inbox(of: "anna", at: "breaking-news").map(\.alert?.body) == ["tick", "tick", "tick"])
    }

    @Test func aRowWithoutPackingLeavesAlone() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, pack) VALUES
                ('news', 'a', '{"message": "hi"}', true), ('news', 'b', '{"message": "hi"}', false),
                ('news', 'c', '{"message": "hi"}', true)
            """)

        try await worker.drain()

        #expect(Set(worker.emulator.journal().map(\.tags)) == ["a || c", "b"])
    }

    @Test func handlesShareABatchAndABrowserIsSentToAlone() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content, headers) VALUES
                ('news', '{AA,BB}', 'apple', '{"aps": {"alert": "x"}}', NULL),
                ('news', '{CC}', 'apple', '{"aps": {"alert": "x"}}', NULL),
                ('news', '{BB}', 'apple', '{"aps": {"alert": "x"}}', NULL),
                ('news', '{https://push.example/1}', 'browser', '{"title": "t"}', '{"Auth": "a", "P256DH": "p"}')
            """)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 4")
        let journal = worker.emulator.journal()
        #expect(journal.map { "\($0.kind) \($0.handles ?? 0)" }.sorted() == ["batch 3", "direct 1", "direct 1"])
        #expect(try worker.emulator.inbox(ofHandle: "BB", at: "breaking-news").count == 2)
        #expect(try worker.emulator.inbox(ofHandle: "CC", at: "breaking-news").map(\.alert?.body) == ["x"])
        // Handles are addresses of devices: only their number is recorded.
        #expect(
            try await worker.test.texts("SELECT target FROM push.post ORDER BY target")
                == ["(1 handle)", "(1 handle)", "(3 handles)"])
    }

    // MARK: - Handles, over real sockets to the emulator's strict reader

    private func send(_ post: Post, to emulator: HubEmulator) async throws -> Answer {
        let text = try #require(emulator.connectionString(for: "news"))
        let connection = try ConnectionString(parsing: text.reveal())
        let tokens = HubTokens(
            base: connection.base, hub: "news", primary: connection.signingKey, secondary: nil,
            now: Clock.system.wall)
        let hub = try NotificationHubs(connection: connection, hub: "news")
        let loop = try HTTPClient(TransportSettings())
        let reply = await loop.perform(try hub.request(for: post, id: 1, with: tokens.pass()))
        await loop.shutdown()
        return hub.answer(to: reply)
    }

    @Test func aBatchOfAThousandHandlesHasItsNotificationId() async throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]), logger: TestWorker.quiet)
        _ = try await emulator.start()
        let handles = (1...1000).map { "\($0)-\"quoted\\handle" }
        let body = #"{"aps":{"alert":"nh-batch-multipart-boundary"}}"#
        let answer = try await send(
            Post(messages: [1], target: .handles(handles), format: "apple", body: Array(body.utf8)), to: emulator)

        #expect(answer.verdict == .accepted)
        let entry = try #require(emulator.journal().first)
        #expect(entry.kind == .batch && entry.handles == 1000)
        #expect(answer.notification == entry.notification)
        #expect(try emulator.inbox(ofHandle: handles[999], at: "news").map(\.payload) == [body])
        #expect(emulator.warnings.isEmpty)
        await emulator.stop()
    }

    @Test func oneHandleIsADirectSend() async throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]), logger: TestWorker.quiet)
        _ = try await emulator.start()
        let post = Post(
            messages: [1], target: .handles(["AB12"]), format: "apple", body: Array(#"{"aps":{"alert":"x"}}"#.utf8))
        #expect(try await send(post, to: emulator).verdict == .accepted)
        #expect(emulator.journal().map(\.kind) == [.direct])
        #expect(try emulator.inbox(ofHandle: "AB12", at: "news").map(\.alert?.body) == ["x"])
        await emulator.stop()
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator).map(String.init)
    }
}
