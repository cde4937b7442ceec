import Foundation
import HubEmulator
import PushModel
import Signing
import Store
import TestSupport
import Testing

/// Every fault of the emulator against a real worker over real sockets: five messages, of which the first posts meet the
/// fault. Nothing is rejected, nothing is taken twice, and nothing is lost.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FaultTableTests {
    /// One row: what the hub does, and what becomes of five messages.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// The keys of a fault, as `fanfare emulate fault` takes them.
        var fault: String
        var becomes = "accepted 5"
        /// Answers other than 201, if their number is certain.
        var refusals: Int?
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "429, Retry-After in seconds", fault: #""next":2,"status":429,"retryAfter":1"#, refusals: 2),
        Row(name: "429, Retry-After as a date", fault: #""next":2,"status":429,"retryAfterDate":1"#, refusals: 2),
        Row(name: "429, Retry-After in the past", fault: #""next":2,"status":429,"retryAfterDate":-30"#, refusals: 2),
        Row(name: "429, x-ms-retry-after-ms", fault: #""next":2,"status":429,"retryAfterMs":200"#, refusals: 2),
        Row(name: "429, retry-after-ms", fault: #""next":2,"status":429,"retryAfterPlainMs":200"#, refusals: 2),
        Row(name: "403 with Retry-After", fault: #""next":2,"status":403,"retryAfter":1"#, refusals: 2),
        Row(name: "503 with Retry-After", fault: #""next":2,"status":503,"retryAfter":1"#, refusals: 2),
        Row(name: "429 beyond a rate", fault: #""rate":20,"burst":2"#),
        Row(name: "403 beyond a rate", fault: #""rate":20,"burst":2,"status":403"#),
        Row(name: "408", fault: #""next":2,"status":408"#, refusals: 2),
        Row(name: "500", fault: #""next":2,"status":500"#, refusals: 2),
        Row(name: "502 with a web page", fault: #""next":2,"status":502,"html":true"#, refusals: 2),
        Row(name: "503", fault: #""next":2,"status":503"#, refusals: 2),
        Row(name: "504", fault: #""next":2,"status":504"#, refusals: 2),
        Row(name: "503, byte by byte", fault: #""next":2,"status":503,"trickleMs":2"#, refusals: 2),
        Row(name: "500, many in a row (breaker)", fault: #""next":7,"status":500"#, refusals: 7),
        Row(name: "401", fault: #""next":1,"status":401"#, refusals: 1),
        Row(name: "401 to every token (hold)", fault: #""next":3,"status":401"#, refusals: 3),
        Row(name: "keys changed at the hub (hold)", fault: #""next":3,"rotated":"both""#, refusals: 3),
        Row(name: "hub's clock two hours ahead (hold)", fault: #""next":3,"skewSeconds":7200"#, refusals: 3),
        Row(name: "403 (hold)", fault: #""next":2,"status":403"#, refusals: 2),
        Row(name: "404 (hold)", fault: #""next":2,"status":404"#, refusals: 2),
        Row(name: "307, a redirect (hold)", fault: #""next":2,"status":307"#, refusals: 2),
        Row(name: "407, a proxy (hold)", fault: #""next":2,"status":407"#, refusals: 2),
        Row(name: "403 with a web page (hold)", fault: #""next":2,"status":403,"html":true"#, refusals: 2),
        Row(name: "501 (hold)", fault: #""next":2,"status":501"#, refusals: 2),
        Row(name: "505 (hold)", fault: #""next":2,"status":505"#, refusals: 2),
        Row(
            name: "closed before the body is read", fault: #""next":2,"close":"before-body""#,
            becomes: "accepted 3, in_doubt 2"),
        Row(
            name: "reset before the body is read", fault: #""next":2,"close":"before-body","reset":true"#,
            becomes: "accepted 3, in_doubt 2"),
        Row(name: "closed after the body", fault: #""next":2,"close":"after-body""#, becomes: "accepted 3, in_doubt 2"),
        Row(
            name: "taken, and reset after the body", fault: #""next":2,"close":"after-body","reset":true,"taken":true"#,
            becomes: "accepted 3, in_doubt 2"),
        Row(
            name: "201 without its body", fault: #""next":2,"status":201,"close":"after-head","taken":true"#,
            becomes: "accepted 5"),
        Row(
            name: "201, cut in the middle", fault: #""next":2,"status":201,"close":"mid-answer","taken":true"#,
            becomes: "accepted 5"),
        Row(name: "503, cut in the middle", fault: #""next":2,"status":503,"close":"mid-answer""#, refusals: 2),
        Row(name: "an answer after half a second", fault: #""next":2,"delayMs":500"#),
    ]

    @Test(arguments: rows) func everyFaultEndsAsTheTableSays(row: Row) async throws {
        let worker = try await Self.worker(fault: row.fault)
        let summary = try await worker.drain()

        #expect(try await worker.statuses() == row.becomes)
        #expect(summary.rejected == 0)
        #expect(summary.expired == 0)
        #expect(worker.taken.count == Set(worker.taken).count, "taken twice")
        if let refusals = row.refusals {
            let statuses = worker.emulator.count().statuses
            #expect(statuses.filter { $0.key != 201 && $0.key != 0 }.map(\.value).reduce(0, +) == refusals)
        }
        #expect(try await worker.lost() == [])
    }

    /// A message is in doubt exactly when its post has no answer.
    @Test func exactlyTheUnansweredMessagesAreInDoubt() async throws {
        let worker = try await Self.worker(fault: #""next":2,"close":"after-body","taken":true"#)
        try await worker.drain()
        let unanswered = Set(worker.emulator.journal().filter { $0.status == nil }.compactMap(\.body))
        let doubted = try await worker.test.texts(
            "SELECT m.content ->> 'message' FROM push.in_doubt d JOIN push.message m ON m.id = d.id")
        #expect(unanswered.count == 2 && doubted.count == 2)
        for text in doubted { #expect(unanswered.contains { $0.contains(text) }) }
    }

    @Test func aHubThatHangsLeavesMessagesInDoubtAndOthersGoOn() async throws {
        var worker = try await Self.worker(fault: #""next":1,"delayMs":60000"#)
        worker.transport.timeout = .seconds(3)
        let summary = try await worker.drain()
        #expect(summary.rejected == 0)
        #expect(summary.inDoubt >= 1)
        #expect(summary.accepted + summary.inDoubt == 5)
        #expect(try await worker.lost() == [])
    }

    /// Nothing listens there; no such name.
    @Test(arguments: ["http://127.0.0.1:1/", "https://hub.invalid/"])
    func aHubThatCannotBeReachedKeepsItsMessages(endpoint: String) async throws {
        var worker = try await Self.worker(fault: nil)
        worker.connectionString = Self.connection(endpoint)
        let working = worker
        let summary = try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.hub_state WHERE broken_until IS NOT NULL")
            #expect(try await Hubs(database: working.test.database).states().first?.hold == nil)
        }
        #expect(summary.rejected + summary.expired + summary.inDoubt == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0") == 5)
        worker.connectionString = nil
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_health WHERE state = 'open'") == 1)
    }

    /// A certificate of an unknown authority: the hub is held, nothing leaves, and the reason names the certificate.
    @Test func aHubWithAnUntrustedCertificateGetsNothing() async throws {
        var worker = try await TestWorker.make(isSecure: true)
        worker.settings.probeSeconds = 0.3
        worker.connectionString = worker.emulator.secureConnectionString(for: "breaking-news")
        try await worker.enqueue(5)
        let working = worker
        let summary = try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
        }
        #expect(summary.rejected + summary.expired + summary.inDoubt == 0)
        #expect(worker.emulator.journal().isEmpty)
        let why = try await worker.test.texts("SELECT why FROM push.hub_health").first ?? ""
        #expect(why.lowercased().contains("certificate"), "\(why)")

        let authority = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: authority) }
        try #require(worker.emulator.certificateAuthority).write(to: authority, atomically: true, encoding: .utf8)
        worker.transport.caBundle = authority.path(percentEncoded: false)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
    }

    /// - Parameter fault: nil: none.
    private static func worker(fault: String?) async throws -> TestWorker {
        var hub = TestWorker.news
        hub.packTags = false
        var worker = try await TestWorker.make(hub)
        worker.settings.probeSeconds = 0.3
        if let fault {
            for one in try Fault.list(json: Array("{\(fault)}".utf8)) { try worker.emulator.add(one) }
        }
        try await worker.enqueue(5)
        return worker
    }

    private static func connection(_ endpoint: String) -> Secret {
        Secret("Endpoint=\(endpoint);SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=")
    }
}
