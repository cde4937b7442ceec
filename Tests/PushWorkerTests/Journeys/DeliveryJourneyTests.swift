import HubEmulator
import PushModel
import TestSupport
import Testing

/// A row goes in, a push goes out, and its result is recorded.
@Suite struct DeliveryJourneyTests {
    @Test func aRowBecomesAPushAndAResult() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"message\": \"hi\"}')")

        let summary = try await worker.drain()

        #expect(summary.accepted == 1)
        #expect(summary.clean)
        #expect(worker.emulator.journal().map(\.tags) == ["World"])
        #expect(try await worker.statuses() == "accepted 1")
        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0)
        #expect(
            try await worker.test.texts("SELECT notification_id FROM push.answers")
                == worker.emulator.journal().compactMap(\.notification))
    }

    @Test func translationsLeaveAsOnePostForAllLanguages() async throws {
        let worker = try await TestWorker.make()
        for (device, language) in [("anna", "English"), ("marie", "French"), ("li", "Mandarin")] {
            try worker.emulator.register(
                Installation(
                    device, pushChannel: .handle("AA00"), tags: ["World"],
                    templates: ["news": "{\"aps\": {\"alert\": \"$(title_\(language))\"}}"]), at: "breaking-news")
        }
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content) VALUES
                ('news', 'World', 'en', '{"title": "Peace"}'), ('news', 'World', 'fr', '{"title": "Paix"}')
            """)

        try await worker.drain()

        #expect(worker.emulator.count().taken == 1)
        #expect(try worker.emulator.inbox(of: "anna", at: "breaking-news").map(\.alert?.body) == ["Peace"])
        #expect(try worker.emulator.inbox(of: "marie", at: "breaking-news").map(\.alert?.body) == ["Paix"])
        // There is no Mandarin text: the fallback is used, so no phone shows an empty alert.
        #expect(try worker.emulator.inbox(of: "li", at: "breaking-news").map(\.alert?.body) == ["Peace"])
        #expect(try await worker.statuses() == "accepted 2")
        #expect(try await worker.test.number("SELECT count(*) FROM push.post") == 1)
    }

    @Test func aHubThatLocalisesByTagGetsOnePostPerLocale() async throws {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.localization = .tags
        let worker = try await TestWorker.make(hub)
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content) VALUES
                ('news', 'World', 'en', '{"title": "Peace"}'), ('news', 'World', 'fr', '{"title": "Paix"}'),
                ('news', 'World', NULL, '{"title": "!"}')
            """)

        try await worker.drain()

        #expect(
            Set(worker.emulator.journal().map(\.tags)) == ["(World) && locale_en", "(World) && locale_fr", "World"])
        #expect(try await worker.lost() == [])
    }

    /// Phones register the languages of the hub. A handle says by itself whom its message is for.
    @Test func theTagThatAHubAddsIsThatOfTheNearestLanguage() async throws {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.localization = .tags
        hub.languages = ["en": "en", "fr": "fr"]
        let worker = try await TestWorker.make(hub)
        for (device, tags) in [("quebec", ["user:1", "locale_fr"]), ("paris", ["user:2", "locale_fr"])] {
            try worker.emulator.register(
                Installation(
                    device, pushChannel: .handle("AA00"), tags: tags,
                    templates: ["t": #"{"aps": {"alert": "$(title)"}}"#]), at: "breaking-news")
        }
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, handles, locale, format, content) VALUES
                ('news', 'user:1', NULL, 'fr-CA-u-fw-mon-mu-celsius', 'template', '{"title": "Paix"}'),
                ('news', NULL, '{BB00}', 'fr', 'apple', '{"aps": {"alert": "for one phone"}}')
            """)

        try await worker.drain()

        #expect(worker.emulator.journal().compactMap(\.tags) == ["(user:1) && locale_fr"])
        #expect(try worker.emulator.inbox(of: "quebec", at: "breaking-news").map(\.alert?.body) == ["Paix"])
        #expect(try worker.emulator.inbox(of: "paris", at: "breaking-news").isEmpty)
        #expect(try await worker.statuses() == "accepted 2")
    }

    @Test func everyMessageOfManyArrivesExactlyOnce() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(3000)

        let summary = try await worker.drain()

        #expect(summary.accepted == 3000)
        #expect(worker.taken.count == 3000)
        #expect(Set(worker.taken).count == 3000)
        #expect(try await worker.statuses() == "accepted 3000")
        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'accepted'") == 3000)
    }

    @Test func twoWorkersShareTheWorkAndNothingIsSentTwice() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(2000)

        async let one = worker.drain()
        async let other = worker.drain()
        let accepted = try await (one.accepted, other.accepted)

        #expect(accepted.0 + accepted.1 == 2000)
        #expect(Set(worker.taken).count == 2000)
        #expect(worker.taken.count == 2000)
        #expect(try await worker.lost() == [])
    }

    @Test func aMessageThatExpiredIsNotSent() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(
            1, options: "send_at, expires_at=now() - interval '2 hours', now() - interval '1 hour'")
        try await worker.enqueue(1)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 1, expired 1")
        #expect(worker.taken.count == 1)
    }

    @Test func aMessageForLaterWaits() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(1, options: "send_at=now() + interval '1 hour'")
        try await worker.enqueue(1)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 1, scheduled 1")
        #expect(worker.taken.count == 1)
    }

    @Test func aStoppingWorkerGivesBackWhatHasNotLeft() async throws {
        var worker = try await TestWorker.make()
        worker.settings.batch = 500
        try worker.emulator.add(slow(milliseconds: 30))
        try await worker.enqueue(2000)
        let emulator = worker.emulator

        let first = try await worker.whileWorking { _ in try await emulator.wait(untilTaken: 100) }
        emulator.clearFaults()

        #expect(first.clean)
        #expect(first.inDoubt == 0)
        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        try await worker.drain()
        let others = try await worker.unaccepted()
        #expect(others == [])
        #expect(try await worker.statuses() == "accepted 2000")
        #expect(Set(worker.taken).count == 2000)
        #expect(worker.taken.count == 2000)
    }

    private func slow(milliseconds: Int) -> Fault {
        var fault = Fault(.every(1))
        fault.delayMilliseconds = milliseconds
        return fault
    }
}
