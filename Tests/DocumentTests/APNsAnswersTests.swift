import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// The table "What comes back" of docs/apns.md: each answer is given, and message and hub do what its row says.
@Suite(.timeLimit(.minutes(10))) struct APNsAnswersTests {
    private static let rows = AnswerRow.all(
        in: "docs/apns.md", below: "| APNs answers | the message | the hub | who acts |")

    @Test func theTableHasTheAnswersThatAreTriedHere() {
        #expect(
            Self.rows.map(\.answer) == [
                "410 Unregistered", "410 ExpiredToken", "400 BadDeviceToken", "400 DeviceTokenNotForTopic",
                "400 MissingDeviceToken", "413 PayloadTooLarge", "400 BadCollapseId", "400 BadExpirationDate",
                "400 BadMessageId", "400 BadPriority", "400 DuplicateHeaders", "400 InvalidPushType",
                "400 PayloadEmpty",
                "404 BadPath", "405 MethodNotAllowed", "other 400", "400 BadTopic", "400 MissingTopic",
                "400 TopicDisallowed", "403 InvalidProviderToken", "403 MissingProviderToken",
                "403 BadEnvironmentKeyIdInToken", "403 BadEnvironmentKeyInToken", "403 Forbidden", "other 403", "401",
                "403 BadCertificate", "403 BadCertificateEnvironment", "403 ExpiredProviderToken",
                "403 UnrelatedKeyIdInToken", "429 TooManyProviderTokenUpdates", "429 TooManyRequests", "other 429",
                "500 InternalServerError", "503 ServiceUnavailable", "503 Shutdown", "400 IdleTimeout",
                "504 without a reason", "none after the request left", "404 without a reason", "410 without a reason",
                "501", "a web page",
            ])
    }

    private static func fault(for answer: String) throws -> Fault {
        var fault = Fault(.every(1))
        fault.operations = [.apns]
        if answer.hasPrefix("none") {
            fault.closing = .afterBody
            return fault
        }
        if answer == "a web page" {
            fault.status = 200
            fault.html = true
            return fault
        }
        fault.status = Int(try #require(answer.firstMatch(of: /[0-9]{3}/)).0)
        switch answer {
        case _ where answer.hasSuffix("without a reason"): fault.html = true
        case _ where answer.hasPrefix("other "): fault.errorCode = "ReasonOfNextYear"
        default: fault.errorCode = answer.firstMatch(of: /[A-Z][A-Za-z]{4,}/).map { String($0.0) }
        }
        return fault
    }

    @Test(arguments: rows)
    func messageAndHubDoWhatTheRowSays(of item: AnswerRow) async throws {
        var made = try await TestWorker.make(TestWorker.ios)
        made.secondary = made.emulator.apnsKey(of: "ios", key: 1)
        let worker = made
        try worker.emulator.add(Self.fault(for: item.answer))
        let start = try await worker.test.texts("SELECT clock_timestamp()::text")[0]
        try await Self.enqueue(["00aa"], in: worker)
        try await worker.whileWorking { _ in
            let rejected = item.message.firstMatch(of: /^rejected, `([a-z_]+)`/).map { "rejected \($0.1)" }
            let throttled = item.message.firstMatch(of: /`(target_throttled)`/).map { "retrying \($0.1)" }
            let expected = rejected ?? throttled ?? (item.message.hasPrefix("in doubt") ? "in_doubt" : "retrying")
            #expect(expected != "retrying" || item.message.hasPrefix("again") || item.message.hasPrefix("waits"))
            try await worker.until("SELECT count(*) FROM push.result")
            let became = try await worker.test.texts("SELECT status || ' ' || reason FROM push.result ORDER BY arrival")
            #expect(became.first?.hasPrefix(expected) == true, "\(became)")
            if let time = item.message.firstMatch(of: /(?:else|after|waits) ([0-9]+) (s|min)\b/) {
                let least = (Double(time.1) ?? 0) * (time.2 == "min" ? 60 : 1)
                #expect(try await worker.test.number(Self.waits(atLeast: least, after: start)) == 1)
            }
            let state =
                item.hub == "held" || item.hub.hasPrefix("held when both")
                ? "held" : item.hub.hasPrefix("waits too") ? "gate closed" : "open"
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = \(state)")
            if item.hub.hasPrefix("held when both") {
                #expect(try await worker.test.texts("SELECT key FROM push.hub_state") == ["secondary"])
            }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE status = 'accepted'") == 0)
        let gone = try await worker.test.number("SELECT count(*) FROM push.gone_targets WHERE since IS NOT NULL")
        #expect(gone == (item.message.contains("target_gone") ? 1 : 0), "only a 410 says that a token is gone")
    }

    /// Messages whose next try is so long after a time before the answer.
    private static func waits(atLeast seconds: Double, after start: String) -> SQL {
        "SELECT count(*) FROM push.due WHERE due_at >= \(start)::timestamptz + \(seconds) * interval '1 s'"
    }

    /// A phone's own throttle, and that of the hub.
    @Test(arguments: ["TooManyRequests", "ReasonOfNextYear"])
    func aThrottleWaitsAsLongAsAPNsSays(reason: String) async throws {
        let worker = try await TestWorker.make(TestWorker.ios)
        var fault = Fault(.every(1), status: 429)
        fault.operations = [.apns]
        fault.errorCode = reason
        fault.retryAfter = .seconds(300)
        try worker.emulator.add(fault)
        let start = try await worker.test.texts("SELECT clock_timestamp()::text")[0]
        try await Self.enqueue(["00aa"], in: worker)
        try await worker.whileWorking { _ in try await worker.until(Self.waits(atLeast: 300, after: start)) }
    }

    /// Of 20 answers 4 are a fifth, and with the next one it is more. Of fewer than 20 all may be invalid.
    @Test func moreThanAFifthOfInvalidTokensHoldsTheHubUntilAPersonResumesIt() async throws {
        let page = try Page("docs/apns.md")
        let row = try #require(page.text.firstMatch(of: /more than a fifth of the last 200, from ([0-9]+) on/))
        let least = try #require(Int(row.1))
        let question = String(try #require(page.text.firstMatch(of: /asks: `([^`]+)`/)).1)
        let worker = try await TestWorker.make(TestWorker.ios)
        try await worker.whileWorking { _ in
            let held: SQL = "SELECT count(*) FROM push.hub_health WHERE state = 'held' AND next_probe IS NULL"
            func answer(_ tokens: [String], isHeld: Bool) async throws {
                let before = try await worker.test.number("SELECT count(*) FROM push.result")
                try await Self.enqueue(tokens, in: worker)
                // A hub that is held too early leaves the rest unanswered.
                try await worker.until(
                    """
                    SELECT (SELECT count(*) FROM push.result)
                         + (SELECT count(*) * 1000 FROM push.hub_health WHERE state = 'held')
                    """
                ) { $0 >= before + Int64(tokens.count) }
                if isHeld { try await worker.until(held) }
                #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == [isHeld ? "held" : "open"])
            }
            func sandbox(_ count: Int) -> [String] { (1...count).map { String(format: "5a4db0c5%04x", $0) } }
            try await answer(sandbox(least - 1), isHeld: false)
            try await answer(sandbox(1), isHeld: true)
            let why = try await worker.test.texts("SELECT why FROM push.hub_health")
            #expect(why.first?.contains(question) == true, "\(why)")
            try await worker.test.database.execute("SELECT push.resume_hub('ios')")
            try await answer((1...least - least / 5).map { String(format: "aa%04x", $0) }, isHeld: false)
            try await answer(sandbox(least / 5), isHeld: false)
            try await answer(sandbox(1), isHeld: true)
        }
    }

    /// As the page says it of two keys: after a rotation nothing is refused, and without one the other takes over.
    @Test(arguments: [true, false]) func theOtherKeyServesWhenOneIsRevoked(afterARotation: Bool) async throws {
        var made = try await TestWorker.make(TestWorker.ios)
        made.secondary = made.emulator.apnsKey(of: "ios", key: 1)
        let worker = made
        var revoked = Fault(.every(1))
        revoked.operations = [.apns]
        revoked.rotated = .primary
        try worker.emulator.add(revoked)
        try await worker.whileWorking { _ in
            if afterARotation {
                try await worker.until("SELECT count(*) FROM push.serving")
                try await worker.test.database.execute("SELECT push.rotate_hub('ios')")
                try await worker.until("SELECT count(*) FROM push.serving WHERE key = 'secondary'")
            }
            try await Self.enqueue(["00aa"], in: worker)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
            try await worker.until("SELECT count(*) FROM push.hub_state WHERE key = 'secondary'")
        }
        let refused = worker.emulator.journal().filter { $0.status != 200 }
        #expect(refused.isEmpty == afterARotation)
    }

    private static func enqueue(_ tokens: [String], in worker: TestWorker) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'ios', ARRAY[t], 'apple', '{"aps": {"alert": "Hello"}}' FROM unnest(\(tokens)) t
            """)
    }
}
