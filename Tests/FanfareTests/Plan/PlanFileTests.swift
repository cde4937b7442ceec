import CommandLineTool
import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import PushModel
import Store
import TestSupport
import Testing

@testable import fanfare

/// What `fanfare plan --file` says of a file is what a worker sends once the file is enqueued.
@Suite(.timeLimit(.minutes(10))) struct PlanFileTests {
    /// A post as the hub sees it.
    private struct Seen: Hashable, CustomStringConvertible {
        let hub: String
        /// nil: a broadcast.
        let target: String?
        let format: String
        let body: String

        var description: String { "\(hub) \(target ?? "-") \(format) \(body)" }
    }

    private static let hubs: [HubSettings] = {
        var news = TestWorker.news
        news.settleMilliseconds = 0
        news.allowBroadcast = true
        var tagged = HubSettings(name: "tagged", hub: "tagged")
        tagged.localization = .tags
        tagged.languages = ["en": "en", "fr": "fr"]
        tagged.settleMilliseconds = 0
        return [news, tagged]
    }()

    private static func reading(portion: Int = MessagePortions.usualLines, isKnown: Bool = true) -> PlanReading {
        PlanReading(
            hubs: isKnown ? Dictionary(uniqueKeysWithValues: hubs.map { ($0.name, $0) }) : [:], batch: 1000,
            wanted: PlanBook.Wanted(posts: true, bodies: true), portion: portion)
    }

    private static func seen(_ book: PlanBook) -> [Seen] {
        book.hubs.flatMap { hub in
            zip(hub.posts, hub.bodies).map { post, body in
                Seen(
                    hub: hub.settings.hub, target: post.target, format: post.format,
                    body: String(decoding: body, as: UTF8.self))
            }
        }
    }

    private static func seen(_ entry: JournalEntry) -> Seen {
        var body = entry.body ?? ""
        // The first part of a batch is what it says.
        if let part = body.firstMatch(
            of: /^--[^\n]+notification\r\n\r\n(.*)\r\n--/.dotMatchesNewlines().repetitionBehavior(.reluctant))
        {
            body = String(part.1)
        }
        let handles = entry.handles.map { $0 == 1 ? "(1 handle)" : "(\($0) handles)" }
        return Seen(hub: entry.hub, target: entry.tags ?? handles, format: entry.format ?? "", body: body)
    }

    /// How many messages ended without a post, by reason.
    private static func ended(_ worker: TestWorker, after last: Int64) async throws -> [String: Int] {
        let reasons = try await worker.test.texts(
            """
            SELECT s.reason::text FROM push.message_status s
             WHERE s.id > \(last) AND s.status IN ('rejected', 'expired', 'duplicate') AND s.post IS NULL
            """)
        return Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private static func difference(_ all: [Seen], _ without: [Seen]) -> [Seen] {
        var rest = Dictionary(without.map { ($0, 1) }, uniquingKeysWith: +)
        return all.filter { one in
            defer { rest[one, default: 0] -= 1 }
            return rest[one, default: 0] <= 0
        }
    }

    /// Half of the files portion by portion, each with a statement of its own.
    @Test(arguments: 0..<4) func aPlanOfAFileIsWhatADrainSends(part: UInt64) async throws {
        let worker = try await TestWorker.make(hubs: Self.hubs)
        let scratch = try ScratchDirectory()
        let now = Int(try await worker.test.number("SELECT date_part('epoch', now())::bigint"))
        let messages = Messages(database: worker.test.database)
        var (sent, leftOut, duplicates, refusedFiles) = (0, 0, 0, 0)
        for seed in (part * 50)..<(part * 50 + 50) {
            let file = try RandomFile(seed: seed, now: now)
            let path = try scratch.write(file.text, to: "rows.jsonl")
            let reading = Self.reading(portion: seed % 2 == 0 ? MessagePortions.usualLines : 4)
            let last = try await worker.test.number("SELECT coalesce(max(id), 0) FROM push.message")
            let book: PlanBook
            do {
                book = try await reading.book(ofFile: path, hub: nil, worker.test.database)
            } catch let error as DatabaseError {
                // Lines that are refused only together: no line alone is wrong.
                guard error.sqlState == "23514" else { throw error }
                refusedFiles += 1
                continue
            }
            let bad = Set(book.badLines.map(\.line))
            var twice: [Int] = []
            var portions = try MessagePortions(path, lines: reading.portion)
            while let lines = try portions.next() {
                let good = lines.filter { !bad.contains($0.number) }
                let enqueued = try await messages.enqueue(good.map(\.message))
                twice += zip(good, enqueued).filter { !$1.inserted }.map(\.0.number)
            }
            #expect(book.duplicates == twice, "seed \(seed)")
            // What the table ends itself, such as a translation of a content that was sent, is in no plan.
            let atOnce = try await Self.ended(worker, after: last)
            worker.emulator.clearJournal()
            try await worker.drain()
            let (plan, journal) = (Self.seen(book), worker.emulator.journal().map(Self.seen))
            let (missing, extra) = (Self.difference(plan, journal), Self.difference(journal, plan))
            #expect(missing.isEmpty && extra.isEmpty, "seed \(seed)\nnot sent: \(missing)\nnot planned: \(extra)")
            var refused = atOnce
            for one in book.hubs.flatMap(\.tally.refusals) { refused[one.reason.rawValue, default: 0] += one.rows }
            #expect(try await Self.ended(worker, after: last) == refused, "seed \(seed)")
            expectRows(of: book, areThoseOf: file, seed)
            sent += journal.count
            leftOut += bad.count
            duplicates += twice.count
        }
        #expect(sent > 200 && refusedFiles < 15, "\(sent), \(refusedFiles)")
        #expect(leftOut > 0 && duplicates > 0, "\(leftOut), \(duplicates)")
    }

    /// Each row of a post is a row of the file with the post's tag, and in no other post.
    private func expectRows(of book: PlanBook, areThoseOf file: RandomFile, _ seed: UInt64) {
        var seen: Set<Int64> = []
        for post in book.hubs.flatMap(\.posts) {
            for row in post.rows {
                guard row > 0, row <= file.tags.count, seen.insert(row).inserted else {
                    Issue.record("seed \(seed): row \(row) of post \(post.number)")
                    continue
                }
                let tag = file.tags[Int(row) - 1]
                #expect(
                    tag == nil || post.target?.lowercased().contains(tag?.lowercased() ?? "") == true,
                    "seed \(seed): row \(row) to \(post.target ?? "-")")
            }
        }
    }

    /// Rows that were due before share no page with those of a file, and what another session has committed meanwhile is none of
    /// its rows.
    @Test func onlyTheRowsOfTheFileArePlanned() async throws {
        let worker = try await TestWorker.make(hubs: Self.hubs)
        let scratch = try ScratchDirectory()
        try await worker.enqueue(30, tag: "Before")
        try await worker.test.database.execute(
            "INSERT INTO push.message (hub, tag, locale, content, content_key) VALUES ('news', 'World', 'en', '{\"title\": \"a\"}', 'k')"
        )
        let lines = (1...9).map { #"{"hub": "news", "tag": "t\#($0)", "content": {"title": "x"}}"# }
        let keyed = #"{"hub": "news", "tag": "World", "locale": "fr", "content_key": "k", "content": {"title": "b"}}"#
        let path = try scratch.write((lines + [keyed]).joined(separator: "\n"), to: "rows.jsonl")
        let known = try await Self.reading(portion: 4).book(ofFile: path, hub: nil, worker.test.database)
        let rows = known.hubs.flatMap(\.posts).map(\.rows)
        #expect(rows.count == 2 && rows.contains(Array(1...9)), "\(rows)")
        // The content has its first translation in the table: message 31.
        #expect(rows.contains([-31, 10]), "\(rows)")
        #expect(known.notes.count == 1 && known.notes[0].contains("3 portions"), "\(known.notes)")
        // A hub that is not in the settings is planned as it is registered.
        let registered = try await Self.reading(isKnown: false).book(ofFile: path, hub: nil, worker.test.database)
        #expect(Self.seen(registered) == Self.seen(known))
        #expect(try await Self.reading().book(ofFile: path, hub: "tagged", worker.test.database).hubs.isEmpty)
    }

    /// Of a content with a key that comes in two portions the second pointer stands for nothing, and does not end the plan.
    @Test func whatIsDueBehindASecondPointerOfAContentIsPlanned() async throws {
        var news = TestWorker.news
        news.settleMilliseconds = 60_000
        let worker = try await TestWorker.make(hubs: [news])
        let scratch = try ScratchDirectory()
        let lines = ["en", "fr"].map {
            #"{"hub": "news", "tag": "World", "locale": "\#($0)", "content_key": "k", "content": {"title": "x"}}"#
        }
        let later = #"{"hub": "news", "tag": "A", "send_at": "2100-01-01T00:00:00Z", "content": {"title": "x"}}"#
        let path = try scratch.write([lines[0], later, lines[1], later].joined(separator: "\n"), to: "rows.jsonl")
        let book = try await Self.reading(portion: 1).book(ofFile: path, hub: nil, worker.test.database)
        #expect(book.hubs.flatMap(\.posts).map(\.rows) == [[1, 3], [2], [4]])
    }

    /// Another session holds what conflicts with every lock but that of a SELECT: nobody waits for a plan, and it for nobody.
    @Test func noFormChangesAnything() async throws {
        let worker = try await TestWorker.make(hubs: Self.hubs)
        let test = worker.test
        let scratch = try ScratchDirectory()
        try await worker.enqueue(5)
        try await test.database.script(
            """
            INSERT INTO push.message (hub, tag, locale, content, content_key)
            VALUES ('news', 'World', 'en', '{"title": "a"}', 'k'), ('news', 'World', 'fr', '{"title": "b"}', 'k');
            INSERT INTO push.message (hub, tag, content, after) VALUES ('news', 'World', '{"title": "c"}', 1);
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["World", "Sports"]},
                "content": {"en": {"title": "Hello"}}}');
            """)
        let before = try await test.everything()
        let reading = Self.reading()
        let tables = try await test.tables().joined(separator: ", ")
        let other = test.another(maximumConnections: 1)
        try await other.withTransaction { connection in
            try await connection.execute("LOCK TABLE \(raw: tables) IN EXCLUSIVE MODE")
            let due = try await reading.book(ofDue: nil, priority: nil, limit: 1000, test.database)
            #expect(due.rows == 7)
            _ = try await reading.report(of: 1, test.database)
            let campaign = try await reading.book(
                ofCampaign: "spring", revision: nil, hub: nil, sample: 100, test.database)
            #expect(campaign.rows == 2)
        }
        await other.close()
        #expect(try await test.everything() == before)
        let file = (1...9).map {
            #"{"hub": "news", "tag": "World", "dedupe_key": "\#($0)", "content": {"title": "x"}}"#
        }
        let path = try scratch.write((file + [#"{"hub": "news"}"#]).joined(separator: "\n"), to: "rows.jsonl")
        await #expect(throws: Failure.self) {
            try await reading.book(ofFile: path, hub: nil, test.database)
        }
        try scratch.write(file.joined(separator: "\n"), to: "rows.jsonl")
        #expect(try await reading.book(ofFile: path, hub: nil, test.database).rows == 9)
        #expect(try await test.everything(butNumbers: true) == before.filter { $0.hasPrefix("push.") })
        #expect(worker.emulator.journal().isEmpty)
    }

    /// Beyond the portions whose refusals are left out, and beyond twenty refusals, a line is named and nothing is planned.
    @Test func aRefusalThatCannotBeLeftOutNamesItsLine() async throws {
        let worker = try await TestWorker.make(hubs: Self.hubs)
        let scratch = try ScratchDirectory()
        let good = #"{"hub": "news", "tag": "World", "content": {"title": "x"}}"#
        let bad = #"{"hub": "news", "tag": "no tag!", "content": {"title": "x"}}"#
        for (lines, portion, wrong) in [
            (Array(repeating: good, count: 110) + [bad, good], 2, 111),
            (Array(repeating: good, count: 3) + Array(repeating: bad, count: 21), 5_000, 24),
        ] {
            let path = try scratch.write(lines.joined(separator: "\n"), to: "rows.jsonl")
            let failure = await #expect(throws: Failure.self) {
                try await Self.reading(portion: portion).book(ofFile: path, hub: nil, worker.test.database)
            }
            let complaint = try #require(failure?.complaints.first)
            #expect(failure?.status == .badInput && complaint.what.hasSuffix("line \(wrong)"), "\(complaint)")
            #expect(complaint.why.hasPrefix("push.message.tag"), "\(complaint)")
        }
    }
}
