import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import PushModel
import TestSupport
import Testing

/// What "What a row says" and "Connections" of docs/apns.md say: of the columns of a row, and of what travels with a push.
@Suite(.timeLimit(.minutes(10))) struct APNsTablesTests {
    private static let hello = #"{"aps": {"alert": "Hello"}}"#

    /// - Parameters:
    ///   - columns: beside hub, format and content, with their values in SQL.
    ///   - format: default: the one that the kind takes.
    /// - Returns: why the row was refused; nil: it was taken.
    private static func refusal(
        _ columns: KeyValuePairs<String, String>, in worker: TestWorker, format: String = "apple",
        _ content: String = hello
    ) async throws -> String? {
        let names = columns.map { ", \($0.key)" }.joined()
        let values = columns.map { ", \($0.value)" }.joined()
        do {
            try await worker.test.database.script(
                """
                INSERT INTO push.message (hub, format, content\(names)) VALUES ('ios', '\(format)', '\(content)'\(values))
                """)
            return nil
        } catch {
            #expect(error.sqlState == "23514" || error.sqlState == "22023", "\(error)")
            return "\(error.message) \(error.hint ?? "")"
        }
    }

    private static func page() throws -> Page { try Page("docs/apns.md") }

    private static func row(of column: String) throws -> Substring {
        let line = try page().text.split(separator: "\n").first { $0.hasPrefix("| `\(column)`") }
        return try #require(line, "the page has no row for \(column)")
    }

    /// The headers of what APNs got for a device token.
    private static func headers(of handle: String, _ worker: TestWorker) throws -> [String: String] {
        let push = try #require(worker.emulator.inbox(ofHandle: handle, at: "ios").first)
        return push.headers ?? [:]
    }

    @Test func theTableHasTheColumnsThatAreTriedHere() throws {
        let table = try #require(try Self.page().text.split(separator: "| column | what it is |").last)
        let rows = table.split(separator: "\n\n").first?.split(separator: "\n").dropFirst()
            .map { $0.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.1) } }
        #expect(rows == [["handles"], ["headers"], ["expires_at"], ["priority"], ["tag", "broadcast", "locale"]])
    }

    @Test func aRowHasExactlyOneDeviceToken() async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        let row = try Self.row(of: "handles")
        let most = try #require(row.firstMatch(of: /at most ([0-9]+)/).flatMap { Int($0.1) })
        for handles in ["'{00}'", "'{00FC13}'", "ARRAY[repeat('ab', \(most / 2))]"] {
            #expect(try await Self.refusal(["handles": handles], in: worker) == nil, "\(handles)")
        }
        for handles in ["'{00,01}'", "'{}'", "'{000}'", "'{xy}'", "ARRAY[repeat('ab', \(most / 2 + 1))]"] {
            let refusal = try await Self.refusal(["handles": handles], in: worker)
            #expect(refusal?.contains("push.message.handles") == true, "\(handles): \(refusal ?? "taken")")
        }
        let many = try await Self.refusal(["handles": "'{00,01}'"], in: worker)
        #expect(row.contains("unnest(tokens)") && many?.contains("FROM unnest(") == true)
    }

    @Test func whatAPNsDoesNotKnowIsRefused() async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        for (column, value) in [("tag", "'World'"), ("broadcast", "true")] {
            let refusal = try await Self.refusal([column: value], in: worker)
            #expect(refusal?.contains("push.message.\(column)") == true, "\(refusal ?? "taken")")
        }
        let locale = try await Self.refusal(["handles": "'{00}'", "locale": "'fr'"], in: worker)
        #expect(locale?.contains("push.message.locale") == true, "\(locale ?? "taken")")
        for format in ["template", "fcmv1"] {
            let refusal = try await Self.refusal(["handles": "'{00}'"], in: worker, format: format)
            #expect(refusal?.contains("set format to apple") == true, "\(refusal ?? "taken")")
        }
    }

    @Test func headersOfApplesTravelAndOthersAreRefused() async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        let values = [
            "apns-push-type": "alert", "apns-priority": "1", "apns-collapse-id": "order-17",
            "apns-topic": "com.example.ios", "apns-expiration": "1893456000",
            "apns-id": "12345678-9abc-8def-8000-0000000004d2",
        ]
        #expect(
            try Self.row(of: "headers").matches(of: /`(apns-[a-z-]+)`/).map { String($0.1) }.sorted()
                == values.keys.sorted())
        let json = String(decoding: try JSONSerialization.data(withJSONObject: values), as: UTF8.self)
        #expect(try await Self.refusal(["handles": "'{00aa}'", "headers": "'\(json)'"], in: worker) == nil)
        let refused = try await Self.refusal(
            ["handles": "'{00}'", "headers": #"'{"ServiceBusNotification-Apns-Expiry": "2030-01-01T00:00Z"}'"#],
            in: worker)
        #expect(refused?.contains("push.message.headers") == true)
        try await worker.drain()
        let sent = try Self.headers(of: "00aa", worker)
        for (name, value) in values { #expect(sent[name] == value, "\(name) \(sent)") }
    }

    /// Of a row with an expiry, one with a header, and one with neither.
    @Test func theExpiryOfARowTravelsWhereTheHeadersHaveNone() async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        let now = Date().timeIntervalSince1970
        let expiry = Int(now) + 3_600
        let expires = "to_timestamp(\(expiry))"
        let columns: KeyValuePairs = ["handles": "'{00aa}'", "expires_at": expires]
        #expect(try await Self.refusal(columns, in: worker) == nil)
        let own: KeyValuePairs = [
            "handles": "'{00bb}'", "expires_at": expires, "headers": "'{\"apns-expiration\": \"\(expiry - 60)\"}'",
        ]
        #expect(try await Self.refusal(own, in: worker) == nil)
        #expect(try await Self.refusal(["handles": "'{00cc}'", "priority": "2"], in: worker) == nil)
        try await worker.drain()
        #expect(try Self.headers(of: "00aa", worker)["apns-expiration"] == "\(expiry)")
        #expect(try Self.headers(of: "00bb", worker)["apns-expiration"] == "\(expiry - 60)")
        let last = try Self.headers(of: "00cc", worker)
        let life = try #require(last["apns-expiration"].flatMap(Double.init)) - now
        #expect(abs(life - Double(worker.hub.expireAfterSeconds)) < 600, "\(life)")
        #expect(last["apns-priority"] == nil, "a column of Fanfare's queue is no header")
    }

    @Test func thePushTypeFollowsFromThePayload() async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        let contents = [
            ("00aa", #"{"aps": {"content-available": 1}}"#, "background", "5", ""),
            (
                "00bb",
                #"{"aps": {"event": "update", "timestamp": 1893456000, "content-state": {"goals": 1}}}"#,
                "liveactivity", nil, ".push-type.liveactivity"
            ),
            ("00cc", #"{"aps": {"content-changed": true}}"#, "widgets", nil, ".push-type.widgets"),
            ("00dd", Self.hello, "alert", nil, ""),
        ]
        for (handle, content, _, _, _) in contents {
            #expect(try await Self.refusal(["handles": "'{\(handle)}'"], in: worker, content) == nil, "\(content)")
        }
        let named: KeyValuePairs = ["handles": "'{00ee}'", "headers": #"'{"apns-push-type": "voip"}'"#]
        #expect(try await Self.refusal(named, in: worker) == nil)
        try await worker.drain()
        for (handle, _, type, priority, suffix) in contents {
            let sent = try Self.headers(of: handle, worker)
            #expect(sent["apns-push-type"] == type && sent["apns-priority"] == priority, "\(sent)")
            #expect(sent["apns-topic"] == "com.example.ios" + suffix, "\(sent)")
        }
        #expect(try Self.headers(of: "00ee", worker)["apns-topic"] == "com.example.ios.voip")
    }

    @Test func theSizesOfThePageHold() async throws {
        let match = try #require(
            Self.page().text.firstMatch(of: /A payload\s+has ([0-9,]+) bytes at most, ([0-9,]+) with `voip`/))
        let sizes = [match.1, match.2].compactMap { Int($0.replacing(",", with: "")) }
        let worker = try await TestWorker.make(TestWorker.ios)
        func content(_ bytes: Int) -> String {
            let head = #"{"aps":{"alert":""#
            return head + String(repeating: "x", count: bytes - head.utf8.count - 3) + "\"}}"
        }
        for (most, type) in zip(sizes, ["alert", "voip"]) {
            let columns: KeyValuePairs = ["handles": "'{00aa}'", "headers": #"'{"apns-push-type": "\#(type)"}'"#]
            #expect(try await Self.refusal(columns, in: worker, content(most)) == nil)
            #expect(try await Self.refusal(columns, in: worker, content(most + 1))?.contains("bytes") == true)
        }
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 2")
    }
}
