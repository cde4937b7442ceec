import Foundation
import HTTPServer
import Testing

@testable import HubEmulator

/// Faults that strike APNs: its refusals, and what happens to streams, connections and tokens.
@Suite struct APNsFaultTests {
    private func add(_ json: String, to fixture: APNsFixture) throws {
        for fault in try Fault.list(json: Array(json.utf8)) { try fixture.emulator.add(fault) }
    }

    @Test func everyReasonCanBeAnswered() async throws {
        let file = Program.root.appending(path: "Tests/Vectors/fcm-apns/apns-responses.json")
        let vectors = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let cases = try #require(vectors["cases"] as? [[String: Any]])
        #expect(cases.count > 25)
        try await APNsFixture.run { fixture in
            for one in cases {
                let status = try #require(one["status"] as? Int)
                guard let reason = one["reason"] as? String else { continue }
                fixture.emulator.clearFaults()
                try add(#"{"operation":"apns","status":\#(status),"errorCode":"\#(reason)"}"#, to: fixture)
                let answer = try #require(try fixture.ask())
                #expect(answer.description == "\(status) \(reason)")
                #expect((answer.timestamp != nil) == (status == 410) && answer.id != nil)
            }
            fixture.emulator.clearFaults()
            try add(#"{"nth":1,"status":500}"#, to: fixture)
            try add(#"{"nth":2,"status":429,"retryAfter":7}"#, to: fixture)
            try fixture.expect("500 InternalServerError")
            try fixture.expect("429 TooManyRequests")
            try fixture.expect("200 -")
        }
    }

    @Test func aLostAnswerMayHaveBeenDelivered() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            try add(#"[{"nth":1,"close":"never","taken":true},{"nth":2,"status":503,"taken":true}]"#, to: fixture)
            try fixture.expect("no answer") { $0.path = "/3/device/ab01" }
            try fixture.expect("503 ServiceUnavailable") { $0.path = "/3/device/ab01" }
            #expect(try fixture.texts(of: "alice") == ["Hello", "Hello"])
            #expect(fixture.emulator.journal().map(\.status) == [nil, 503])
        }
    }

    @Test func aRefusalOfTheTokenSpoilsTheConnection() async throws {
        try await APNsFixture.run { fixture in
            for (reason, status, later) in [
                ("ExpiredProviderToken", 403, "403 ExpiredProviderToken"),
                ("TooManyProviderTokenUpdates", 429, "429 TooManyProviderTokenUpdates"),
                ("InvalidProviderToken", 403, "200 -"),
            ] {
                let connection = PeerConnection(isHTTP2: true)
                try add(#"{"nth":1,"status":\#(status),"errorCode":"\#(reason)"}"#, to: fixture)
                try fixture.expect("\(status) \(reason)", on: connection)
                try fixture.expect(later, on: connection)
                try fixture.expect("200 -")
                fixture.emulator.clearFaults()
            }
        }
    }

    @Test func aTokenIsEndedFromNowOn() async throws {
        try await APNsFixture.run { fixture in
            let (token, other) = ("bearer \(try fixture.token())", "bearer \(try fixture.token(age: 1))")
            try add(#"{"nth":2,"endToken":true}"#, to: fixture)
            let connection = PeerConnection(isHTTP2: true)
            try fixture.expect("200 -", on: connection) { $0.authorization = token }
            try fixture.expect("403 ExpiredProviderToken", on: connection) { $0.authorization = token }
            try fixture.expect("403 ExpiredProviderToken", on: connection) { $0.authorization = other }
            try fixture.expect("403 ExpiredProviderToken") { $0.authorization = token }
            try fixture.expect("200 -") { $0.authorization = other }
        }
    }

    @Test func keysAndClockAreStruck() async throws {
        try await APNsFixture.run { fixture in
            try add(#"{"rotated":"primary"}"#, to: fixture)
            try fixture.expect("403 InvalidProviderToken")
            let second = "bearer \(try fixture.token(key: 1))"
            try fixture.expect("200 -") { $0.authorization = second }
            fixture.emulator.clearFaults()
            try add(#"[{"nth":1,"skewSeconds":7200},{"nth":2,"skewSeconds":-7200}]"#, to: fixture)
            try fixture.expect("403 ExpiredProviderToken")
            try fixture.expect("403 InvalidProviderToken")
        }
    }

    @Test(arguments: [
        (#"{"close":"never","reset":true}"#, "reset does not go with"),
        (#"{"delayMs":1,"streamCode":"CANCEL"}"#, "needs close"),
        (#"{"close":"stream","streamCode":"SOMETHING"}"#, "streamCode must be one of"),
        (#"{"close":"stream","status":200}"#, "does not go with a status"), (#"{"streams":-1}"#, "streams must be 0"),
        (#"{"goAway":"two words"}"#, "goAway has 1 to 100"), (#"{"operation":"fcm","endToken":true}"#, "apns alone"),
        (#"{"operation":"apns"}"#, "ignorePings, endToken"),
    ])
    func faultsThatMakeNoSenseAreRefused(json: String, says: String) {
        do {
            _ = try Fault.list(json: Array(json.utf8))
            Issue.record("\(json) was taken")
        } catch {
            #expect(error.description.contains(says), "\(error)")
        }
    }

    @Test func faultsAreWrittenAsTheyAreRead() throws {
        let json = #"""
            {"close": "stream", "every": 1, "goAway": "Shutdown", "ignorePings": true, "endToken": true,
             "streamCode": "REFUSED_STREAM", "streams": 5}
            """#
        let fault = try #require(try Fault.list(json: Array(json.utf8)).first)
        #expect(try JSONDecoder().decode(Fault.self, from: try JSONEncoder().encode(fault)) == fault)
        #expect(
            fault.effectText
                == "the stream reset with REFUSED_STREAM, GOAWAY Shutdown, 5 streams at once, no PING answered, its token is ended"
        )
    }
}

/// The same over HTTP/2, with a client that shows its frames.
@Suite(.enabled(if: APNsFixture.hasFrames, Program.advice)) struct APNsFrameTests {
    private func frames(_ faults: String, _ steps: [String], _ check: (APNsFixture, [String]) throws -> Void)
        async throws
    {
        try await APNsFixture.run { fixture in
            for fault in try Fault.list(json: Array(faults.utf8)) { try fixture.emulator.add(fault) }
            try check(fixture, try await fixture.frames(steps))
        }
    }

    /// aioapns takes an empty DATA for bad JSON.
    @Test func anAnswerEndsWithItsLastFrame() async throws {
        try await frames("[]", ["send", "ab01", "send", "dead0410"]) { _, lines in
            #expect(lines.contains("answer 1 200") && lines.contains("answer 3 410 Unregistered"), "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("empty") }, "\(lines)")
        }
    }

    /// aioapns does neither, and APNs serves it.
    @Test(arguments: ["no-alpn", "host"]) func aClientNeedNotNameProtocolAndAuthority(option: String) async throws {
        try await frames("[]", [option, "send", "ab01"]) { fixture, lines in
            #expect(lines.contains("answer 1 200"), "\(lines)")
            #expect(fixture.emulator.journal().map(\.status) == [200])
        }
    }

    /// All that was taken up is answered, nothing above it is, and the journal agrees.
    @Test func afterGOAWAYNothingIsTaken() async throws {
        try await frames(
            #"{"nth":5,"goAway":"Shutdown"}"#, ["send", "ab01", "await", "streams 1000", "burst", "400", "end"]
        ) { fixture, lines in
            let goAway = try #require(lines.first { $0.hasPrefix("goaway") }).split(separator: " ")
            let last = try #require(Int(goAway[1]))
            #expect(goAway[2...] == ["NO_ERROR", #"{"reason":"Shutdown"}"#] && last >= 9)
            var answered: [Int] = []
            for line in lines where line.hasPrefix("answer") {
                answered.append(try #require(Int(line.split(separator: " ")[1])))
            }
            #expect(answered.sorted() == Array(stride(from: 1, through: last, by: 2)), "\(lines)")
            #expect(lines.last == "closed")
            #expect(fixture.emulator.count().taken == answered.count)
            #expect(fixture.emulator.journal().count == answered.count)
        }
    }

    /// Requests that were on the way to it are read over, with their bodies, and the connection serves on what it took.
    @Test func requestsBehindGOAWAYAreDropped() async throws {
        let late = (3...9).flatMap { ["begin", "ab0\($0)"] }
        try await frames(
            #"[{"nth":2,"close":"never","taken":true},{"nth":3,"goAway":"Shutdown"}]"#,
            ["send", "ab00", "await", "streams 1000", "begin", "ab01", "send", "ab02", "await", "goaway"] + late
                + ["ping", "await", "pong"]
        ) { fixture, lines in
            #expect(lines.contains(#"goaway 5 NO_ERROR {"reason":"Shutdown"}"#) && lines.last == "pong", "\(lines)")
            #expect(lines.filter { $0.hasPrefix("answer") } == ["answer 1 200", "answer 5 200"], "\(lines)")
            #expect(lines.filter { $0.hasPrefix("goaway") }.count == 1)
            #expect(fixture.emulator.journal().map(\.status) == [200, nil, 200])
        }
    }

    @Test func streamsAreLowered() async throws {
        try await frames(#"{"nth":1,"streams":7}"#, ["send", "ab01", "await", "streams 7", "send", "ab02"]) {
            _, lines in
            #expect(Set(lines) == ["streams 1", "streams 7", "answer 1 200", "answer 3 200"] && lines.count == 4)
        }
    }

    /// Three are never answered, so that their streams stay open; the connection goes on.
    @Test func streamsBeyondTheLimitAreRefusedAlone() async throws {
        let silent = (2...4).map { #"{"nth":\#($0),"close":"never","taken":true}"# }.joined(separator: ",")
        try await frames(
            #"[{"nth":1,"streams":3},\#(silent)]"#,
            ["send", "ab01", "await", "streams 3", "flood", "6", "ping", "await", "pong"]
        ) { fixture, lines in
            let expected =
                ["streams 1", "streams 3", "answer 1 200"] + [9, 11, 13].map { "reset \($0) REFUSED_STREAM" }
            #expect(Set(lines) == Set(expected + ["pong"]) && lines.count == 7, "\(lines)")
            #expect(fixture.emulator.journal().map(\.status) == [200, nil, nil, nil])
        }
    }

    /// Far more than the framing remembers by itself.
    @Test func aFloodOfStreamsIsSurvived() async throws {
        try await frames(
            #"[{"nth":1,"streams":1},{"nth":2,"close":"never","taken":true}]"#,
            ["send", "ab01", "flood", "900", "await", "reset 1801 ", "ping", "await", "pong"]
        ) { fixture, lines in
            #expect(lines.filter { $0.hasSuffix(" REFUSED_STREAM") }.count == 899 && lines.last == "pong", "\(lines)")
            #expect(fixture.emulator.journal().count == 2)
        }
    }

    @Test(arguments: ["REFUSED_STREAM", "CANCEL", "INTERNAL_ERROR", "ENHANCE_YOUR_CALM"])
    func aStreamIsResetAlone(code: String) async throws {
        try await frames(
            #"{"nth":2,"close":"stream","streamCode":"\#(code)"}"#,
            ["send", "ab01", "await", "streams 1000", "send", "ab02", "send", "ab03"]
        ) { fixture, lines in
            #expect(lines.suffix(2) == ["reset 3 \(code)", "answer 5 200"], "\(lines)")
            #expect(fixture.emulator.journal().map(\.status) == [200, nil, 200])
            #expect(fixture.emulator.journal().map(\.taken) == [true, false, true])
        }
    }

    @Test func anAnswerIsSwallowed() async throws {
        try await frames(
            #"{"nth":2,"close":"never","taken":true}"#,
            ["send", "ab01", "await", "streams 1000", "begin", "ab02", "send", "ab03"]
        ) { fixture, lines in
            #expect(lines.last == "answer 5 200" && !lines.contains { $0.hasPrefix("answer 3") }, "\(lines)")
            #expect(fixture.emulator.count().taken == 3)
        }
    }

    /// The request behind the PING is answered, and so the PING has been read.
    @Test func pingsAreNotAnswered() async throws {
        try await frames(
            #"{"nth":2,"ignorePings":true}"#,
            ["send", "ab01", "ping", "await", "pong", "send", "ab02", "ping", "send", "ab03"]
        ) { _, lines in
            #expect(lines.filter { $0 == "pong" }.count == 1 && lines.last == "answer 5 200", "\(lines)")
        }
    }

    @Test(arguments: [false, true])
    func theConnectionIsCut(isReset: Bool) async throws {
        try await frames(
            #"{"nth":2,"close":"after-body","taken":true,"reset":\#(isReset)}"#,
            ["send", "ab01", "await", "streams 1000", "burst", "5"]
        ) { fixture, lines in
            #expect(lines.last == "closed", "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("answer 3") }, "\(lines)")
        }
    }

    /// The faults of connections strike the clients of hubs, too.
    @Test func hubsHaveThemToo() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            for fault in try Fault.list(
                json: Array(#"[{"nth":1,"goAway":"Shutdown"},{"nth":2,"close":"stream"}]"#.utf8))
            {
                try fixture.emulator.add(fault)
            }
            let port = try #require(fixture.emulator.securePort)
            func send() async throws -> Program.Ended {
                try await Program("curl")([
                    "-sS", "--http2", "--cacert", authority, "-w", "%{http_code}", "-H",
                    "Authorization: \(fixture.token())",
                    "-H", "ServiceBusNotification-Format: template", "-H",
                    "Content-Type: application/json;charset=utf-8",
                    "-d", #"{"m":"x"}"#, "https://127.0.0.1:\(port)/news/messages?api-version=2020-06",
                ])
            }
            #expect(try await send().output == "201")
            let reset = try await send()
            #expect(reset.status == 92 && reset.errors.contains("CANCEL"), "\(reset)")
        }
    }
}
