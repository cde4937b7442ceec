import Foundation
import Testing

@testable import HubEmulator

/// `GET /{hub}/messages/{id}` and the rules under `/_emulator/telemetry`.
@Suite struct TelemetryTests {
    private func ask(_ bench: Bench, _ id: String, version: String? = "2020-06", token: String? = nil) async throws
        -> Client.Reply
    {
        let query = version.map { "?api-version=\($0)" } ?? ""
        return try await bench.exchange(
            bench.request("GET", "/news/messages/\(id)\(query)", token: token, headers: [:]))
    }

    private func rule(_ bench: Bench, _ method: String = "POST", _ body: String = "") async throws -> Client.Reply {
        try await bench.exchange(
            bench.request(method, "/_emulator/telemetry", token: "", headers: [:], body: body))
    }

    private func sent(_ bench: Bench, _ request: String? = nil) async throws -> String {
        #expect(try await bench.exchange(request ?? bench.send(to: "World")).status == 201)
        return try #require(bench.emulator.journal().last?.notification)
    }

    /// The vectors' bodies, letter for letter, out of the values they stand for.
    @Test func itIsWrittenAsRecorded() throws {
        var known: Set<String> = []
        for vector in try #require(try Vectors.read("telemetry")["details"] as? [[String: Any]]) {
            let body = try #require(vector["body"] as? String)
            func text(_ name: String) throws -> String? {
                try body.firstMatch(of: Regex("<\(name)>([^<]*)</\(name)>", as: (Substring, Substring).self))
                    .map { String($0.1).replacing("&amp;", with: "&") }
            }
            let expect = try #require(vector["expect"] as? [String: Any])
            func needed(_ name: String) throws -> String { try #require(try text(name), "\(name)") }
            var details = NotificationDetails(
                notification: try needed("NotificationId"), location: try needed("Location"),
                state: try needed("State"),
                enqueuedAt: try #require(ScheduleTime.parse(try needed("EnqueueTime"))))
            details.startedAt = try text("StartTime").flatMap(ScheduleTime.parse)
            details.endedAt = try text("EndTime").flatMap(ScheduleTime.parse)
            details.body = expect["body"] as? String
            details.targetPlatforms = expect["platforms"] as? [String] ?? []
            details.counts = expect["counts"] as? [String: [String: Int]] ?? [:]
            details.errorDetails = expect["pns_error_details_uri"] as? String
            let written = String(decoding: details.xml, as: UTF8.self)
            // A double has fifteen digits, and the recorded fractions seven or one.
            func untimed(_ text: String) -> String { text.replacing(/:05\.\d+Z|:06\.\d+Z/, with: "FRACTION") }
            #expect(untimed(written) == untimed(body), "\(vector["id"] ?? "")")
            known.insert(details.state)
        }
        #expect(known.isSuperset(of: ["Completed", "Enqueued", "NoTargetFound", "Abandoned", "Unknown"]))
    }

    @Test func everyNameOfTheVectorsIsKnown() throws {
        let vectors = try Vectors.read("telemetry")
        #expect(NotificationDetails.outcomes == vectors["outcome_names"] as? [String])
        let elements = NotificationDetails.elements.map { "\($0.1)OutcomeCounts" }
        #expect(Array(elements.dropLast()) == vectors["count_elements"] as? [String])
        let states = try #require(vectors["states"] as? [String: Any])
        let known = (states["docs"] as? [String] ?? []) + (states["dotnet_and_js_only"] as? [String] ?? [])
        #expect(Set(NotificationDetails.states) == Set(known))
    }

    @Test func itSaysWhatBecameOfASendOnceItIsReady() async throws {
        try await Bench.run { bench in
            let large = String(repeating: "x", count: 5_000)
            try bench.emulator.register(
                Installation(
                    "a", pushChannel: .handle("AA"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
                at: "news")
            try bench.emulator.register(
                Installation(
                    "b", platform: .fcmV1, pushChannel: .handle("B"), tags: ["World"],
                    templates: [
                        "t": #"{"message":{"data":{"m":"\#(large)"}}}"#, "u": #"{"message":{"data":{"m":"$(m)"}}}"#,
                    ]),
                at: "news")
            let id = try await sent(bench)
            // The service is not ready either when the send has just been answered.
            let early = try await ask(bench, id)
            #expect(early.status == 404 && early.body.contains("<Code>404</Code>"))
            #expect(bench.emulator.telemetry(of: id) == nil)
            try bench.emulator.advance(by: 1)

            let reply = try await ask(bench, id)
            #expect(reply.status == 200 && reply.headers["content-type"] == "application/xml; charset=utf-8")
            #expect(
                reply.body
                    == #"<NotificationDetails xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" "#
                    + #"xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><NotificationId>\#(id)</NotificationId>"#
                    + "<Location>sb://\(bench.host)/news/messages/\(id)?api-version=2020-06</Location>"
                    + "<State>Completed</State><EnqueueTime>2027-01-15T08:00:00Z</EnqueueTime>"
                    + "<StartTime>2027-01-15T08:00:00Z</StartTime><EndTime>2027-01-15T08:00:00Z</EndTime>"
                    + #"<NotificationBody>{"m":"x"}</NotificationBody><Tags>World</Tags>"#
                    + "<TargetPlatforms>appletemplate,fcmv1template</TargetPlatforms>"
                    + "<ApnsOutcomeCounts><Outcome><Name>Success</Name><Count>1</Count></Outcome></ApnsOutcomeCounts>"
                    + "<FcmV1OutcomeCounts><Outcome><Name>InvalidNotificationSize</Name><Count>1</Count></Outcome>"
                    + "<Outcome><Name>Success</Name><Count>1</Count></Outcome></FcmV1OutcomeCounts>"
                    + "<PnsErrorDetailsUri>http://\(bench.host)/_emulator/telemetry/\(id)?sig=emulator</PnsErrorDetailsUri>"
                    + "</NotificationDetails>")
            // Where the address of the errors leads.
            let errors = try await bench.exchange(
                bench.request("GET", "/_emulator/telemetry/\(id)?sig=emulator", token: "", headers: [:]))
            #expect(errors.body.contains(#"{"handle":"B","outcome":"InvalidNotificationSize","platform":"fcmV1"}"#))
            // Both versions have to be new enough for it.
            let old = try await ask(bench, id, version: "2015-04")
            #expect(old.status == 200 && !old.body.contains("PnsErrorDetailsUri"))
        }
    }

    @Test func nobodyReachedIsNoTargetFound() async throws {
        try await Bench.run({ $0.telemetryDelay = 0 }) { bench in
            let id = try await sent(bench)
            let reply = try await ask(bench, id, token: bench.token("all"))
            #expect(reply.body.contains("<State>NoTargetFound</State>") && !reply.body.contains("OutcomeCounts"))
        }
    }

    @Test func aDirectSendCountsItsHandles() async throws {
        try await Bench.run({ $0.telemetryDelay = 0 }) { bench in
            let id = try await sent(bench, Batch(["AA", "BB"]).request(bench))
            let details = try #require(bench.emulator.telemetry(of: id))
            #expect(details.targetPlatforms == ["apple"] && details.counts == ["apns": ["Success": 2]])
            #expect(try await ask(bench, id).status == 200)
        }
    }

    @Test func aScheduledOneIsScheduledThenSentOrCanceled() async throws {
        try await Bench.run({ $0.telemetryDelay = 0 }) { bench in
            try ScheduleTests.phone(bench)
            let ids = [
                try await sent(bench, ScheduleTests.schedule(bench)),
                try await sent(bench, ScheduleTests.schedule(bench)),
            ]
            for id in ids { #expect(try await ask(bench, id).body.contains("<State>Scheduled</State>")) }
            let cancel = bench.request("DELETE", "/news/schedulednotifications/\(ids[1])", headers: [:])
            #expect(try await bench.exchange(cancel).status == 200)
            try bench.emulator.advance(by: 3_600)
            let gone = try await ask(bench, ids[0])
            #expect(gone.body.contains("<State>Completed</State>"))
            #expect(gone.body.contains("<StartTime>2027-01-15T09:00:00Z</StartTime>"))
            #expect(try await ask(bench, ids[1]).body.contains("<State>Canceled</State>"))
        }
    }

    @Test func rulesSayWhatIsSaidAndWhen() async throws {
        try await Bench.run { bench in
            let world = try await sent(bench)
            let other = try await sent(bench, bench.send(to: "Sports"))
            let script = """
                [{"delaySeconds": 0, "processingSeconds": 60},
                 {"tags": "World", "state": "Abandoned", "outcomes": {"apns": {"WrongToken": 2, "Success": 0}}},
                 {"notification": "\(other)", "delaySeconds": 600}]
                """
            #expect(try await rule(bench, "POST", script).status == 201)
            let abandoned = try await ask(bench, world)
            #expect(abandoned.body.contains("<State>Abandoned</State>"))
            #expect(abandoned.body.contains("<Name>WrongToken</Name><Count>2</Count>"))
            #expect(try await ask(bench, other).status == 404)
            try bench.emulator.advance(by: 600)
            #expect(try await ask(bench, other).body.contains("<State>Processing</State>"))
            try bench.emulator.advance(by: 60)
            #expect(try await ask(bench, other).body.contains("<State>NoTargetFound</State>"))

            #expect(try await rule(bench, "GET").body.hasPrefix(#"[{"delaySeconds":0,"#))
            #expect(try await rule(bench, "DELETE").status == 204)
            #expect(try await rule(bench, "GET").body == "[]")
            #expect(try await ask(bench, world).body.contains("<State>NoTargetFound</State>"))
        }
    }

    @Test(arguments: [
        "", "7", "[7]", "{}", #"{"hub":"news"}"#, #"{"state":"Sleeping"}"#, #"{"delaySeconds":-1}"#,
        #"{"delaySeconds":"1"}"#, #"{"processingSeconds":86401}"#, #"{"outcomes":{"ios":{"Success":1}}}"#,
        #"{"outcomes":{"apns":{"Fine":1}}}"#, #"{"outcomes":{"apns":{"Success":-1}}}"#,
        #"{"state":"Completed","when":"now"}"#, #"[{"state":"Completed"},{"state":"x"}]"#,
    ])
    func aRuleThatMakesNoSenseIsRefused(json: String) async throws {
        try await Bench.run { bench in
            let reply = try await rule(bench, "POST", json)
            #expect(reply.status == 400 && reply.body.hasPrefix(#"{"error":"#))
            #expect(try await rule(bench, "GET").body == "[]")
        }
    }

    @Test func rulesAndNotificationsAreBounded() async throws {
        try await Bench.run({
            $0.telemetryDelay = 0
            $0.keptTelemetry = 2
        }) { bench in
            var ids: [String] = []
            for _ in 0..<5 { ids.append(try await sent(bench)) }
            #expect(ids.map { bench.emulator.telemetry(of: $0) == nil } == [true, true, true, false, false])
            let many = "[" + Array(repeating: #"{"delaySeconds":1}"#, count: 1_001).joined(separator: ",") + "]"
            #expect(try await rule(bench, "POST", many).status == 400)
        }
    }

    @Test func wrongQuestionsAreRefused() async throws {
        try await Bench.run({ $0.telemetryDelay = 0 }) { bench in
            let id = try await sent(bench)
            for (request, status) in [
                (bench.request("GET", "/news/messages/unknown", headers: [:]), 404),
                (bench.request("GET", "/sports/messages/\(id)", token: "", headers: [:]), 401),
                (bench.request("GET", "/nowhere/messages/\(id)", headers: [:]), 404),
                (bench.request("GET", "/news/messages/\(id)", token: bench.token("listener"), headers: [:]), 403),
                (bench.request("DELETE", "/news/messages/\(id)", headers: [:]), 405),
                (bench.request("POST", "/news/messages/\(id)", headers: [:]), 405),
                (bench.request("PUT", "/_emulator/telemetry", token: "", headers: [:]), 405),
                (bench.request("GET", "/_emulator/telemetry/unknown", token: "", headers: [:]), 404),
            ] {
                #expect(try await bench.exchange(request).status == status, "\(request.prefix(60))")
            }
        }
    }
}
