import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import PushModel
import TestSupport
import Testing

/// The table "What comes back" of docs/fcm.md: each answer is given, and message and hub do what its row says.
@Suite(.timeLimit(.minutes(10))) struct FCMAnswersTests {
    private static let rows = AnswerRow.all(in: "docs/fcm.md", below: "| FCM answers | the message | the hub |")

    @Test func theTableHasTheAnswersThatAreTriedHere() {
        #expect(
            Self.rows.map(\.answer) == [
                "404 UNREGISTERED", "400 that names the token", "403 SENDER_ID_MISMATCH", "other 400", "429",
                "429 that names the device", "500", "502", "503", "504", "none after the request left", "401",
                "401 THIRD_PARTY_AUTH_ERROR", "403", "bare 404",
            ])
    }

    /// Tokens that get the answer by themselves; others need a fault.
    private static let tokens = ["400 that names the token": "invalid-1", "429 that names the device": "throttle-1"]

    private static func fault(for answer: String) throws -> Fault {
        var fault = Fault(.every(1))
        if answer.hasPrefix("none") {
            fault.closing = .afterBody
        } else {
            fault.status = Int(try #require(answer.firstMatch(of: /[0-9]{3}/)).0)
            fault.errorCode = answer.firstMatch(of: /[A-Z_]{5,}/).map { String($0.0) }
        }
        fault.operations = [.fcm]
        return fault
    }

    @Test(arguments: rows)
    func messageAndHubDoWhatTheRowSays(of item: AnswerRow) async throws {
        var made = try await TestWorker.make(TestWorker.shop)
        made.secondary = made.emulator.serviceAccount(of: "shop", account: 1)
        let worker = made
        let token = Self.tokens[item.answer]
        if token == nil { try worker.emulator.add(Self.fault(for: item.answer)) }
        let start = try await worker.test.texts("SELECT clock_timestamp()::text")[0]
        try await Self.enqueue([token ?? "a"], in: worker)
        try await worker.whileWorking { _ in
            let rejected = item.message.firstMatch(of: /^rejected, `([a-z_]+)`/).map { "rejected \($0.1)" }
            let same = item.message.firstMatch(of: /^the same, `([a-z_]+)`/).map { "retrying \($0.1)" }
            let expected = rejected ?? same ?? (item.message.hasPrefix("in doubt") ? "in_doubt" : "retrying")
            #expect(expected != "retrying" || item.message.hasPrefix("again") || item.message.hasPrefix("waits"))
            try await worker.until("SELECT count(*) FROM push.result")
            let became = try await worker.test.texts("SELECT status || ' ' || reason FROM push.result ORDER BY arrival")
            #expect(became.first?.hasPrefix(expected) == true, "\(became)")
            if let seconds = item.message.firstMatch(of: /(?:else|after) ([0-9]+) s/) {
                let least = Double(seconds.1) ?? 0
                #expect(try await worker.test.number(Self.waits(atLeast: least, after: start)) == 1)
            }
            let state =
                item.hub.hasPrefix("held:") || item.hub.hasPrefix("held when both")
                ? "held"
                : item.hub.hasPrefix("waits too") ? "gate closed" : "open"
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = \(state)")
            if item.answer == "401" {
                #expect(try await worker.test.texts("SELECT key FROM push.hub_state") == ["secondary"])
                #expect(worker.emulator.accessTokens(of: "shop") >= 3, "a new token, then the other account's")
            }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE status = 'accepted'") == 0)
    }

    /// Messages whose next try is so long after a time before the answer.
    private static func waits(atLeast seconds: Double, after start: String) -> SQL {
        "SELECT count(*) FROM push.due WHERE due_at >= \(start)::timestamptz + \(seconds) * interval '1 s'"
    }

    /// A phone's own throttle, and a time that FCM names.
    @Test func aThrottleWaitsAsLongAsFCMSays() async throws {
        let phone = try await TestWorker.make(TestWorker.shop)
        try await Self.enqueue(["throttle-1"], in: phone)
        try await phone.whileWorking { _ in
            try await phone.until("SELECT count(*) FROM push.result WHERE reason = 'target_throttled'")
        }
        #expect(try await phone.test.texts("SELECT state FROM push.hub_health") == ["open"])

        let worker = try await TestWorker.make(TestWorker.shop)
        var fault = Fault(.every(1), status: 429)
        fault.operations = [.fcm]
        fault.retryAfter = .seconds(300)
        try worker.emulator.add(fault)
        let start = try await worker.test.texts("SELECT clock_timestamp()::text")[0]
        try await Self.enqueue(["a"], in: worker)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'gate closed'")
            try await worker.until(Self.waits(atLeast: 300, after: start))
        }
    }

    /// `"unavailable": "doubt"` of the page, for the two answers that it names.
    @Test func unavailableMayMeanDoubt() async throws {
        let page = try Page("docs/fcm.md")
        #expect(page.text.contains(#""unavailable": "doubt""#) && page.text.contains("500 or 503"))
        for (status, expected) in [(500, "in_doubt"), (503, "in_doubt"), (502, "retrying")] {
            var shop = TestWorker.shop
            shop.unavailable = .doubt
            let worker = try await TestWorker.make(shop)
            var fault = Fault(.every(1), status: status)
            fault.operations = [.fcm]
            try worker.emulator.add(fault)
            try await Self.enqueue(["a"], in: worker)
            try await worker.whileWorking { _ in try await worker.until("SELECT count(*) FROM push.result") }
            #expect(try await worker.test.texts("SELECT status FROM push.result") == [expected], "\(status)")
        }
    }

    /// Of 20 answers 4 are a fifth, and with the next one it is more. Of fewer than 20 all may be invalid.
    @Test func moreThanAFifthOfInvalidTokensHoldsTheHubUntilAPersonResumesIt() async throws {
        let page = try Page("docs/fcm.md")
        let row = try #require(page.text.firstMatch(of: /more than a fifth of the last 200, from ([0-9]+) on/))
        let least = try #require(Int(row.1))
        let worker = try await TestWorker.make(TestWorker.shop)
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
            func invalid(_ count: Int) -> [String] { (1...count).map { "invalid-\($0)" } }
            try await answer(invalid(least - 1), isHeld: false)
            try await answer(invalid(1), isHeld: true)
            try await worker.test.database.execute("SELECT push.resume_hub('shop')")
            try await answer((1...least - least / 5).map { "token-\($0)" }, isHeld: false)
            try await answer(invalid(least / 5), isHeld: false)
            try await answer(invalid(1), isHeld: true)
        }
    }

    private static func enqueue(_ tokens: [String], in worker: TestWorker) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY[t], 'fcmv1', '{"message": {"notification": {"title": "Hello"}}}' FROM unnest(\(tokens)) t
            """)
    }
}
