import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import PushModel
import TestSupport
import Testing

/// What the tables of docs/fcm.md say: of the columns of a row, of conditions, and of what travels with a message.
@Suite(.timeLimit(.minutes(10))) struct FCMTablesTests {
    private static let hello = #"{"message": {"notification": {"title": "Hello"}}}"#

    private static func worker(_ change: (inout HubSettings) -> Void = { _ in }) async throws -> TestWorker {
        var shop = TestWorker.shop
        change(&shop)
        return try await TestWorker.make(shop)
    }

    /// - Parameters:
    ///   - columns: beside hub, format and content, with their values in SQL.
    ///   - format: default: the one that the kind takes.
    /// - Returns: why the row was refused; nil: it was taken.
    private static func refusal(
        _ columns: KeyValuePairs<String, String>, in worker: TestWorker, format: String = "fcmv1",
        _ content: String = hello
    ) async throws -> String? {
        let names = columns.map { ", \($0.key)" }.joined()
        let values = columns.map { ", \($0.value)" }.joined()
        do {
            try await worker.test.database.script(
                """
                INSERT INTO push.message (hub, format, content\(names)) VALUES ('shop', '\(format)', '\(content)'\(values))
                """)
            return nil
        } catch {
            #expect(error.sqlState == "23514" || error.sqlState == "22023", "\(error)")
            return "\(error.message) \(error.hint ?? "")"
        }
    }

    private static func row(of column: String) throws -> Substring {
        let page = try Page("docs/fcm.md")
        let line = page.text.split(separator: "\n").first { $0.hasPrefix("| `\(column)` |") }
        return try #require(line, "\(page.path) has no row for \(column)")
    }

    /// `4,096` as a number.
    private static func number(_ digits: Substring?) throws -> Int {
        try #require(digits.flatMap { Int($0.replacing(",", with: "")) })
    }

    /// What FCM got, in order.
    private static func bodies(_ worker: TestWorker) -> [String] { worker.emulator.journal().compactMap(\.body) }

    @Test func theTableHasTheColumnsThatAreTriedHere() throws {
        let page = try Page("docs/fcm.md")
        let table = try #require(page.text.split(separator: "| column | what it is |").last)
        let rows = table.split(separator: "\n\n").first?.matches(of: /(?m)^\| `([a-z_]+)` \|/).map { String($0.1) }
        #expect(rows == ["handles", "tag", "broadcast", "locale", "expires_at", "headers"])
    }

    @Test func aRowHasExactlyOneTarget() async throws {
        let worker = try await Self.worker()
        let row = try Self.row(of: "handles")
        let most = try Self.number(row.firstMatch(of: /at most ([0-9,]+) bytes/)?.1)
        for handles in ["'{a}'", "'{fid:abc}'", "ARRAY[repeat('x', \(most))]"] {
            #expect(try await Self.refusal(["handles": handles], in: worker) == nil, "\(handles)")
        }
        for handles in ["'{a,b}'", "'{}'", "'{\"a b\"}'", "'{é}'", "ARRAY[repeat('x', \(most + 1))]"] {
            let refusal = try await Self.refusal(["handles": handles], in: worker)
            #expect(refusal?.contains("push.message.handles") == true, "\(handles): \(refusal ?? "taken")")
        }
        let many = try await Self.refusal(["handles": "'{a,b}'"], in: worker)
        #expect(row.contains("unnest(tokens)") && many?.contains("FROM unnest(") == true)
    }

    @Test func aTagIsATopicOrUpToFive() async throws {
        let row = try Self.row(of: "tag")
        let most = try Self.number(row.firstMatch(of: /at most ([0-9]) topics/)?.1)
        let letters = try #require(row.firstMatch(of: /digits, `([^`]+)`/)).1
        func joined(_ count: Int) -> String { (1...count).map { "t\($0)" }.joined(separator: " || ") }
        let worker = try await Self.worker()
        for tag in ["Tech", "tech", "a1\(letters)", joined(most)] {
            #expect(try await Self.refusal(["tag": "'\(tag)'"], in: worker) == nil, "\(tag)")
        }
        for tag in ["lang:fr", "user@home", "a#b", joined(most + 1)] {
            let refusal = try await Self.refusal(["tag": "'\(tag)'"], in: worker)
            #expect(refusal?.contains("push.message.tag") == true, "\(tag): \(refusal ?? "taken")")
        }
        try await worker.drain()
        let topics = Self.bodies(worker).compactMap { $0.firstMatch(of: /"topic":"([^"]+)"/).map { String($0.1) } }
        #expect(Set(topics) == ["Tech", "tech", "a1\(letters)"], "case and all")
        let without = try await Self.worker { $0.tagsAreTopics = false }
        #expect(try await Self.refusal(["tag": "'Tech'"], in: without) != nil)
        #expect(try await Self.refusal(["handles": "'{a}'"], in: without) == nil)
    }

    @Test func aBroadcastGoesToItsTopicWhereItIsAllowed() async throws {
        #expect(try await Self.refusal(["broadcast": "true"], in: Self.worker())?.contains("allowBroadcast") == true)
        let worker = try await Self.worker {
            $0.allowBroadcast = true
            $0.broadcastTopic = "all"
        }
        #expect(try await Self.refusal(["broadcast": "true"], in: worker) == nil)
        try await worker.drain()
        #expect(Self.bodies(worker).allSatisfy { $0.contains(#""topic":"all""#) } && Self.bodies(worker).count == 1)
    }

    @Test func aLocaleNarrowsWhereLanguagesAreTopics() async throws {
        let columns: KeyValuePairs = ["tag": "'Tech'", "locale": "'fr'"]
        let topic = try #require(try Self.row(of: "locale").firstMatch(of: /topic `([^`]+)`/)).1
        #expect(try await Self.refusal(columns, in: Self.worker())?.contains("push.message.locale") == true)
        let worker = try await Self.worker { $0.localization = .tags }
        #expect(try await Self.refusal(columns, in: worker) == nil)
        try await worker.drain()
        #expect(Self.bodies(worker).first?.contains("'Tech' in topics && '\(topic)' in topics") == true)
    }

    @Test func headersAndTheDefaultFormatAreRefused() async throws {
        let worker = try await Self.worker()
        for headers in [#"{"apns-priority": "5"}"#, #"{"Urgency": "high"}"#] {
            let refusal = try await Self.refusal(["tag": "'Tech'", "headers": "'\(headers)'"], in: worker)
            #expect(refusal?.contains("push.message.headers") == true, "\(refusal ?? "taken")")
        }
        for format in ["template", "apple"] {
            let refusal = try await Self.refusal(["tag": "'Tech'"], in: worker, format: format)
            #expect(refusal?.contains("set format to fcmv1") == true, "\(refusal ?? "taken")")
        }
        for target in ["token", "topic", "condition", "fid"] {
            let content = #"{"message": {"\#(target)": "a", "notification": {"title": "Hello"}}}"#
            let refusal = try await Self.refusal(["tag": "'Tech'"], in: worker, content)
            #expect(refusal?.contains("message.\(target)") == true, "\(refusal ?? "taken")")
        }
    }

    /// `android.ttl`, `apns-expiration` and Web Push's `TTL` of a content with none, and of one that has its own.
    @Test func theExpiryOfARowTravelsWhereTheContentHasNone() async throws {
        let worker = try await Self.worker()
        let expires = "date_trunc('second', now()) + interval '1 hour'"
        let content = #"{"message": {"android": {}, "apns": {"payload": {"aps": {"alert": "x"}}}, "webpush": {}}}"#
        #expect(try await Self.refusal(["tag": "'A'", "expires_at": expires], in: worker, content) == nil)
        let own = #"{"message": {"data": {"a": "b"}, "android": {"ttl": "7s"}}}"#
        #expect(try await Self.refusal(["tag": "'B'", "expires_at": expires], in: worker, own) == nil)
        try await worker.drain()
        let bodies = Self.bodies(worker).sorted()
        #expect(bodies.count == 2)
        let ttl = try #require(bodies.first?.firstMatch(of: /"ttl": ?"([0-9]+)s"/)).1
        #expect((1...3600).contains(Int(ttl) ?? 0))
        #expect(bodies.first?.contains(/"apns-expiration": ?"[0-9]{10}"/) == true, "\(bodies)")
        #expect(bodies.first?.contains(/"TTL": ?"[0-9]+"/) == true, "\(bodies)")
        #expect(
            bodies.last?.contains(#""ttl": "7s""#) == true && bodies.last?.matches(of: /ttl/).count == 1, "\(bodies)")
    }

    @Test func aPushThatOnlyWakesTheAppGetsPriority5() async throws {
        let worker = try await Self.worker()
        let wakes = #"{"message": {"apns": {"payload": {"aps": {"content-available": 1}}}}}"#
        #expect(try await Self.refusal(["tag": "'A'"], in: worker, wakes) == nil)
        let shows = #"{"message": {"apns": {"payload": {"aps": {"alert": "x"}}}}}"#
        #expect(try await Self.refusal(["tag": "'B'"], in: worker, shows) == nil)
        try await worker.drain()
        let bodies = Self.bodies(worker).sorted()
        #expect(bodies.count == 2)
        #expect(bodies.first?.contains(/"apns-priority": ?"5"/) == true, "\(bodies)")
        #expect(bodies.last?.contains("apns-priority") == false, "\(bodies)")
    }

    /// The worker and the command make what the table shows.
    @Test func conditionsAreWhatTheTableShows() async throws {
        let page = try Page("docs/fcm.md")
        let rows: [(tag: String, condition: String)] = page.text.matches(of: /(?m)^\| `([^`]+)` \| `('[^`]+)` \|$/).map
        {
            (String($0.1).replacing("\\|", with: "|"), String($0.2).replacing("\\|", with: "|"))
        }
        #expect(!rows.isEmpty)
        let worker = try await Self.worker()
        for row in rows {
            let made = try TopicCondition(row.tag).condition
            #expect(made == row.condition)
            #expect(try await Self.refusal(["tag": "'\(row.tag)'"], in: worker) == nil)
        }
        try await worker.drain()
        let sent = Self.bodies(worker).compactMap { body in
            body.firstMatch(of: /"condition":"([^"]+)"/).map { String($0.1) }
        }
        #expect(sent.sorted() == rows.map(\.condition).sorted())
        let tag = String(try #require(page.text.firstMatch(of: /`fanfare tag check --kind fcm '([^']+)'`/)).1)
        let printed = try await Fanfare.tool(["tag", "check", "--kind", "fcm", tag])
        let isThere = rows.contains { $0.tag == tag && printed.output.contains($0.condition) }
        #expect(isThere, "\(printed)")
    }

    /// 4,096 bytes, of which one of Google's pages allows a topic half.
    @Test func theSizesOfThePageHold() async throws {
        let page = try Page("docs/fcm.md")
        let most = try Self.number(page.text.firstMatch(of: /size limit is ([0-9,]+) bytes/)?.1)
        let less = try Self.number(page.text.firstMatch(of: /says ([0-9,]+) for\s+topics/)?.1)
        let worker = try await Self.worker()
        func content(_ bytes: Int) -> String {
            let head = #"{"message":{"data":{"k":""#
            return head + String(repeating: "x", count: bytes - head.utf8.count - 4) + "\"}}}"
        }
        #expect(try await Self.refusal(["handles": "'{a}'"], in: worker, content(most)) == nil)
        #expect(try await Self.refusal(["handles": "'{a}'"], in: worker, content(most + 1))?.contains("bytes") == true)
        #expect(try await Self.refusal(["tag": "'Tech'"], in: worker, content(less + 1)) == nil)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 2")
        #expect(worker.emulator.warnings.contains { $0.kind == .largeForTopics })
    }
}
