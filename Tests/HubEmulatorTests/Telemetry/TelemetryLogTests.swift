import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// `GET /{hub}/messages/{id}` and the rules under `/_emulator/telemetry`.
@Suite struct TelemetryLogTests {
    private func ask(_ fixture: EmulatorFixture, _ id: String, version: String? = "2020-06", token: String? = nil)
        async throws
        -> Client.Reply
    {
        let query = version.map { "?api-version=\($0)" } ?? ""
        return try await fixture.exchange(
            fixture.request("GET", "/news/messages/\(id)\(query)", token: token, headers: [:]))
    }

    private func rule(_ fixture: EmulatorFixture, _ method: String = "POST", _ body: String = "") async throws
        -> Client.Reply
    {
        try await fixture.exchange(
            fixture.request(method, "/_emulator/telemetry", token: "", headers: [:], body: body))
    }

    private func sent(_ fixture: EmulatorFixture, _ request: String? = nil) async throws -> String {
        #expect(try await fixture.exchange(request ?? fixture.send(to: "World")).status == 201)
        return try #require(fixture.emulator.journal().last?.notification)
    }

    /// The vectors' bodies, byte for byte, from their values.
    @Test func telemetryIsWrittenAsRecorded() throws {
        var known: Set<String> = []
        for vector in try Vectors.objects("telemetry", "details") {
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
            // The recorded fractions have seven digits or one, more than a double holds.
            func untimed(_ text: String) -> String { text.replacing(/:05\.\d+Z|:06\.\d+Z/, with: "FRACTION") }
            #expect(untimed(written) == untimed(body), "\(vector["id"] ?? "")")
            known.insert(details.state)
        }
        #expect(known.isSuperset(of: ["Completed", "Enqueued", "NoTargetFound", "Abandoned", "Unknown"]))
    }

    @Test func everyNameOfTheVectorsIsKnown() throws {
        let vectors = try Vectors.object("telemetry")
        #expect(NotificationDetails.outcomes == vectors["outcome_names"] as? [String])
        let elements = NotificationDetails.elements.map { "\($0.1)OutcomeCounts" }
        #expect(Array(elements.dropLast()) == vectors["count_elements"] as? [String])
        let states = try #require(vectors["states"] as? [String: Any])
        let known = (states["docs"] as? [String] ?? []) + (states["dotnet_and_js_only"] as? [String] ?? [])
        #expect(Set(NotificationDetails.states) == Set(known))
    }

    @Test func telemetryHasTheResultOnceItIsReady() async throws {
        try await EmulatorFixture.run { fixture in
            let large = String(repeating: "x", count: 5_000)
            try fixture.emulator.register(
                Installation(
                    "a", pushChannel: .handle("AA"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
                at: "news")
            try fixture.emulator.register(
                Installation(
                    "b", platform: .fcmV1, pushChannel: .handle("B"), tags: ["World"],
                    templates: [
                        "t": #"{"message":{"data":{"m":"\#(large)"}}}"#, "u": #"{"message":{"data":{"m":"$(m)"}}}"#,
                    ]),
                at: "news")
            let id = try await sent(fixture)
            // As at the service, it is not ready right after the send.
            let early = try await ask(fixture, id)
            #expect(early.status == 404 && early.body.contains("<Code>404</Code>"))
            #expect(fixture.emulator.telemetry(of: id) == nil)
            try fixture.emulator.advance(by: 1)

            let reply = try await ask(fixture, id)
            #expect(reply.status == 200 && reply.headers["content-type"] == "application/xml; charset=utf-8")
            #expect(
                reply.body
                    == #"<NotificationDetails xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" "#
                    + #"xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><NotificationId>\#(id)</NotificationId>"#
                    + "<Location>sb://\(fixture.host)/news/messages/\(id)?api-version=2020-06</Location>"
                    + "<State>Completed</State><EnqueueTime>2027-01-15T08:00:00Z</EnqueueTime>"
                    + "<StartTime>2027-01-15T08:00:00Z</StartTime><EndTime>2027-01-15T08:00:00Z</EndTime>"
                    + #"<NotificationBody>{"m":"x"}</NotificationBody><Tags>World</Tags>"#
                    + "<TargetPlatforms>appletemplate,fcmv1template</TargetPlatforms>"
                    + "<ApnsOutcomeCounts><Outcome><Name>Success</Name><Count>1</Count></Outcome></ApnsOutcomeCounts>"
                    + "<FcmV1OutcomeCounts><Outcome><Name>InvalidNotificationSize</Name><Count>1</Count></Outcome>"
                    + "<Outcome><Name>Success</Name><Count>1</Count></Outcome></FcmV1OutcomeCounts>"
                    + "<PnsErrorDetailsUri>http://\(fixture.host)/_emulator/telemetry/\(id)?sig=emulator</PnsErrorDetailsUri>"
                    + "</NotificationDetails>")
            // The address of the errors.
            let errors = try await fixture.exchange(
                fixture.request("GET", "/_emulator/telemetry/\(id)?sig=emulator", token: "", headers: [:]))
            #expect(errors.body.contains(#"{"handle":"B","outcome":"InvalidNotificationSize","platform":"fcmV1"}"#))
            // Only when both versions are new enough.
            let old = try await ask(fixture, id, version: "2015-04")
            #expect(old.status == 200 && !old.body.contains("PnsErrorDetailsUri"))
        }
    }

    @Test func aSendWithoutTargetsIsNoTargetFound() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            let id = try await sent(fixture)
            let reply = try await ask(fixture, id, token: fixture.token("all"))
            #expect(reply.body.contains("<State>NoTargetFound</State>") && !reply.body.contains("OutcomeCounts"))
        }
    }

    @Test func aDirectSendCountsItsHandles() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            let id = try await sent(fixture, Batch(["AA", "BB"]).request(fixture))
            let details = try #require(fixture.emulator.telemetry(of: id))
            #expect(details.targetPlatforms == ["apple"] && details.counts == ["apns": ["Success": 2]])
            #expect(try await ask(fixture, id).status == 200)
        }
    }

    @Test func aScheduledSendIsScheduledThenSentOrCanceled() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            try ScheduledSendsTests.phone(fixture)
            let ids = [
                try await sent(fixture, ScheduledSendsTests.schedule(fixture)),
                try await sent(fixture, ScheduledSendsTests.schedule(fixture)),
            ]
            for id in ids { #expect(try await ask(fixture, id).body.contains("<State>Scheduled</State>")) }
            let cancel = fixture.request("DELETE", "/news/schedulednotifications/\(ids[1])", headers: [:])
            #expect(try await fixture.exchange(cancel).status == 200)
            try fixture.emulator.advance(by: 3_600)
            let delivered = try await ask(fixture, ids[0])
            #expect(delivered.body.contains("<State>Completed</State>"))
            #expect(delivered.body.contains("<StartTime>2027-01-15T09:00:00Z</StartTime>"))
            #expect(try await ask(fixture, ids[1]).body.contains("<State>Canceled</State>"))
        }
    }

    @Test func rulesOverrideAndDelayTelemetry() async throws {
        try await EmulatorFixture.run { fixture in
            let world = try await sent(fixture)
            let other = try await sent(fixture, fixture.send(to: "Sports"))
            let script = """
                [{"delaySeconds": 0, "processingSeconds": 60},
                 {"tags": "World", "state": "Abandoned", "outcomes": {"apns": {"WrongToken": 2, "Success": 0}}},
                 {"notification": "\(other)", "delaySeconds": 600}]
                """
            #expect(try await rule(fixture, "POST", script).status == 201)
            let abandoned = try await ask(fixture, world)
            #expect(abandoned.body.contains("<State>Abandoned</State>"))
            #expect(abandoned.body.contains("<Name>WrongToken</Name><Count>2</Count>"))
            #expect(try await ask(fixture, other).status == 404)
            try fixture.emulator.advance(by: 600)
            #expect(try await ask(fixture, other).body.contains("<State>Processing</State>"))
            try fixture.emulator.advance(by: 60)
            #expect(try await ask(fixture, other).body.contains("<State>NoTargetFound</State>"))

            #expect(try await rule(fixture, "GET").body.hasPrefix(#"[{"delaySeconds":0,"#))
            #expect(try await rule(fixture, "DELETE").status == 204)
            #expect(try await rule(fixture, "GET").body == "[]")
            #expect(try await ask(fixture, world).body.contains("<State>NoTargetFound</State>"))
        }
    }

    @Test(arguments: [
        "", "7", "[7]", "{}", #"{"hub":"news"}"#, #"{"state":"Sleeping"}"#, #"{"delaySeconds":-1}"#,
        #"{"delaySeconds":"1"}"#, #"{"processingSeconds":86401}"#, #"{"outcomes":{"ios":{"Success":1}}}"#,
        #"{"outcomes":{"apns":{"Fine":1}}}"#, #"{"outcomes":{"apns":{"Success":-1}}}"#,
        #"{"state":"Completed","when":"now"}"#, #"[{"state":"Completed"},{"state":"x"}]"#,
    ])
    func anInvalidRuleIsRefused(json: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await rule(fixture, "POST", json)
            #expect(reply.status == 400 && reply.body.hasPrefix(#"{"error":"#))
            #expect(try await rule(fixture, "GET").body == "[]")
        }
    }

    @Test func rulesAndNotificationsAreLimited() async throws {
        try await EmulatorFixture.run({
            $0.telemetryDelay = 0
            $0.keptTelemetry = 2
        }) { fixture in
            var ids: [String] = []
            for _ in 0..<5 { ids.append(try await sent(fixture)) }
            #expect(ids.map { fixture.emulator.telemetry(of: $0) == nil } == [true, true, true, false, false])
            let many = "[" + Array(repeating: #"{"delaySeconds":1}"#, count: 1_001).joined(separator: ",") + "]"
            #expect(try await rule(fixture, "POST", many).status == 400)
        }
    }

    @Test func invalidRequestsAreRefused() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            let id = try await sent(fixture)
            for (request, status) in [
                (fixture.request("GET", "/news/messages/unknown", headers: [:]), 404),
                (fixture.request("GET", "/sports/messages/\(id)", token: "", headers: [:]), 401),
                (fixture.request("GET", "/nowhere/messages/\(id)", headers: [:]), 404),
                (fixture.request("GET", "/news/messages/\(id)", token: fixture.token("listener"), headers: [:]), 403),
                (fixture.request("DELETE", "/news/messages/\(id)", headers: [:]), 405),
                (fixture.request("POST", "/news/messages/\(id)", headers: [:]), 405),
                (fixture.request("PUT", "/_emulator/telemetry", token: "", headers: [:]), 405),
                (fixture.request("GET", "/_emulator/telemetry/unknown", token: "", headers: [:]), 404),
            ] {
                #expect(try await fixture.exchange(request).status == status, "\(request.prefix(60))")
            }
        }
    }
}
