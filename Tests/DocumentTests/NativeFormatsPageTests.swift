import Foundation
import Postgres
import PushModel
import TestSupport
import Testing

/// docs/native-formats.md: all its examples can be enqueued, and all that it calls refused is refused.
@Suite struct NativeFormatsPageTests {
    private static let formats = ["apple", "fcmv1", "windows", "adm", "browser", "baidu", "xiaomi"]

    @Test func everyPayloadAndEveryStatementIsTaken() async throws {
        let page = try Page("docs/native-formats.md")
        let worker = try await TestWorker.make()
        var seen: Set<String> = []
        for block in page.blocks("json") {
            let format = try #require(block.info.split(separator: " ").last.map(String.init))
            seen.insert(format)
            do {
                try await worker.test.database.execute(
                    "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'World', \(format), \(block.text)::json)"
                )
            } catch {
                Issue.record("\(page.path) \(block): \(error)")
            }
        }
        #expect(seen == Set(Self.formats))
        for block in page.blocks("sql") {
            do {
                try await worker.test.database.script(block.text)
            } catch {
                Issue.record("\(page.path) \(block): \(error)")
            }
        }
        let rows = page.blocks("json").count + page.blocks("sql").count
        #expect(try await worker.test.number("SELECT count(*) FROM push.message") == Int64(rows))
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == Int64(rows))
    }

    /// The table of names that platforms ignore silently.
    @Test func everyWrongNameIsRefusedAndTheRightOneNamed() async throws {
        let page = try Page("docs/native-formats.md")
        let worker = try await TestWorker.make()
        let rows = page.text.matches(of: /(?m)^\| `([a-z0-9]+)` \| `(\{.+\})` \| `([a-z._-]+)` \|$/)
        #expect(rows.count >= 12)
        for row in rows {
            do {
                try await worker.test.database.execute(
                    "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'World', \(String(row.1)), \(String(row.2))::json)"
                )
                Issue.record("\(row.2) was taken")
            } catch {
                let text = "\(error.message) \(error.hint ?? "")"
                #expect(error.sqlState == "23514" && text.contains(row.3), "\(row.2): \(text)")
            }
        }
    }

    /// The sizes of the table: each is taken, and one byte more is not.
    @Test func aPayloadMayBeAsLargeAsTheTableSays() async throws {
        let page = try Page("docs/native-formats.md")
        let worker = try await TestWorker.make()
        let rows = page.text.matches(of: /(?m)^\| `([a-z0-9]+)` \| [^|]+ \| [^|]+ \| ([0-9,]+) bytes/)
        #expect(rows.map { String($0.1) } == Self.formats)
        for row in rows {
            let limit = try #require(Int(row.2.replacing(",", with: "")))
            for bytes in [limit, limit + 1] {
                let content = Self.payload(String(row.1), bytes: bytes)
                let taken: Bool
                do {
                    try await worker.test.database.execute(
                        "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'World', \(String(row.1)), \(content)::json)"
                    )
                    taken = true
                } catch {
                    #expect(error.message.contains("bytes"), "\(row.1): \(error)")
                    taken = false
                }
                #expect(taken == (bytes <= limit), "\(row.1) with \(bytes) bytes")
            }
        }
    }

    /// The table of the two ways to Firebase: limits, and the same row through both.
    @Test func theKindsDifferAsTheirTableSays() async throws {
        let page = try Page("docs/native-formats.md")
        func cells(_ row: String) throws -> [Substring] {
            let line = try #require(page.text.split(separator: "\n").first { $0.hasPrefix("| \(row) |") })
            return line.split(separator: " | ")
        }
        let (hubs, fcm) = (HubKind.notificationHubs.facts, HubKind.fcm.facts)
        #expect(try cells("`handles`")[1].replacing(",", with: "").contains("up to \(hubs.handles) "))
        #expect(try cells("`handles`")[2].hasPrefix("exactly one") && fcm.handles == 1)
        #expect(try cells("`tag`")[2].contains("at most \(fcm.tags) topics"))
        #expect(fcm.formats == ["fcmv1"] && Set(hubs.formats).isSuperset(of: Self.formats))

        let worker = try await TestWorker.make(TestWorker.news, TestWorker.shop)
        let content = #"{"message": {"android": {"notification": {"body_loc_key": "k"}}}}"#
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, expires_at, format, content)
            SELECT hub, '{gone-1}', now() + interval '1 hour', 'fcmv1', \(content)::json FROM unnest('{news,shop}'::text[]) hub
            """)
        try await worker.drain()
        #expect(try cells("what is added to the content")[1] == "nothing")
        #expect(worker.emulator.journal(hub: "breaking-news").map(\.body) == [content])
        let sent = try #require(worker.emulator.journal(hub: "shop").first?.body)
        #expect(sent.contains("gone-1") && sent.contains("ttl") && sent.contains("body_loc_key"), "\(sent)")
        let ended = try await worker.test.texts(
            "SELECT hub || ' ' || status || ' ' || reason FROM push.message_status ORDER BY 1")
        #expect(ended == ["news accepted taken_by_hub", "shop rejected target_gone"])
    }

    /// A payload of a format whose sent text has this many bytes.
    private static func payload(_ format: String, bytes: Int) -> String {
        let (head, tail) =
            switch format {
            case "apple": (#"{"aps": {"alert": ""#, #""}}"#)
            case "fcmv1": (#"{"message": {"data": {"k": ""#, #""}}}"#)
            case "adm": (#"{"data": {"k": ""#, #""}}"#)
            case "windows": ("\"<toast>", "</toast>\"")
            default: (#"{"k": ""#, #""}"#)
            }
        // Of a JSON string only the text between its quotation marks is sent.
        let own = head.utf8.count + tail.utf8.count - (format == "windows" ? 2 : 0)
        return head + String(repeating: "x", count: bytes - own) + tail
    }
}
