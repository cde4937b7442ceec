import Foundation
import Testing

@testable import HubEmulator

/// Sends and devices that the service accepts although they are most likely wrong: each causes one warning with the effect
/// and the fix, and is counted.
@Suite struct WarningLogTests {
    private static let alert = ["t": #"{"aps":{"alert":"$(m)"}}"#]

    private func warning(
        _ fixture: EmulatorFixture, _ kind: EmulatorWarning.Kind, _ subject: String? = nil
    ) throws -> EmulatorWarning {
        let found = fixture.emulator.warnings.first { $0.kind == kind && subject ?? $0.subject == $0.subject }
        return try #require(found, "\(fixture.emulator.warnings)")
    }

    private func register(_ fixture: EmulatorFixture, _ templates: [String: String] = WarningLogTests.alert) throws {
        try fixture.emulator.register(
            Installation("i", pushChannel: .handle("AB"), tags: ["World"], templates: templates), at: "news")
    }

    @Test func aMisspelledTagGetsASuggestion() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture)
            for tags in ["Wrold", "wrold", "elsewhere", "$UserId:{wrold}"] {
                #expect(try await fixture.exchange(fixture.send(to: tags)).status == 201)
            }
            let near = try warning(fixture, .unknownTag, "wrold")
            #expect(near.text == "no device has the tag wrold; did you mean world?")
            #expect(near.count == 2)
            #expect(try warning(fixture, .unknownTag, "elsewhere").text.contains("reaches nobody by it"))
            #expect(try !warning(fixture, .unknownTag, "$userid:{wrold}").text.contains("did you mean"))
        }
    }

    @Test(arguments: [
        ("World && !World", EmulatorWarning.Kind.impossibleTags, "nobody gets it"),
        ("World || !World", .broadcast, "every device matches"),
        ("AND || World", .wordTag, "the operators are && || !"),
    ])
    func aSuspiciousTagExpressionCausesAWarning(tags: String, kind: EmulatorWarning.Kind, text: String) async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture)
            #expect(try await fixture.exchange(fixture.send(to: tags)).status == 201)
            #expect(try warning(fixture, kind).text.contains(text))
        }
    }

    @Test func unknownHeadersCauseWarnings() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture)
            var headers = [
                "ServiceBusNotification-Format": "template", "Content-Type": "application/json",
                "ServiceBusNotifications-Tags": "World", "apns-pushtype": "alert", "X-WNS-Typ": "wns/toast",
                "ServiceBusNotification-TimeToLive": "5", "TrackingId": "x", "Accept": "*/*", "apns-priority": "5",
            ]
            #expect(try await fixture.exchange(fixture.request(headers: headers, body: #"{"m":"x"}"#)).status == 201)
            let unknown = fixture.emulator.warnings.filter { $0.kind == .unknownHeader }
            #expect(
                unknown.map(\.subject).sorted() == [
                    "apns-pushtype", "servicebusnotification-timetolive", "servicebusnotifications-tags", "x-wns-typ",
                ])
            #expect(
                try warning(fixture, .unknownHeader, "servicebusnotifications-tags").text
                    .hasSuffix("did you mean servicebusnotification-tags? A send without it goes to every device"))
            #expect(try warning(fixture, .unknownHeader, "apns-pushtype").text.contains("did you mean apns-push-type?"))
            headers = ["ServiceBusNotification-Format": "template", "Tags": "World"]
            #expect(try await fixture.exchange(fixture.request(headers: headers, body: "{}")).status == 201)
            #expect(try warning(fixture, .tagsHeader).text.contains("goes to every device"))
        }
    }

    @Test(arguments: [
        ("/news/messages?api-version=2023-10-01-preview", EmulatorWarning.Kind.unknownVersion, "management.azure.com"),
        ("/news/messages?api-version=2020-07", .unknownVersion, "sends use 2020-06"),
        ("/news/messages", .missingVersion, "add ?api-version=2020-06"),
    ])
    func anUnusualVersionCausesAWarning(target: String, kind: EmulatorWarning.Kind, text: String) async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture)
            _ = try await fixture.exchange(fixture.request("POST", target, body: #"{"m":"x"}"#))
            #expect(try warning(fixture, kind).text.contains(text))
        }
    }

    @Test func anEmptyAlertNamesTheMissingLanguage() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture, ["fr": #"{"aps":{"alert":"$(News_French)"},"n":"$(News_French)"}"#])
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"News_English":"Hi"}"#)).status == 201)
            let text = try warning(fixture, .emptyAlert, "fr").text
            #expect(text.contains("the message lacks News_French and has News_English"))
            #expect(text.contains("$(name:{text})"))
            #expect(!fixture.emulator.warnings.contains { $0.kind == .missingProperty })
        }
    }

    @Test func missingAndUnusedPropertiesCauseWarnings() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                {
                    var device = Installation(
                        "i", pushChannel: .handle("AB"), tags: ["World"],
                        templates: ["t": #"{"aps":{"alert":"$(title)"},"a":"$(url)","b":"$(x:{d})","c":"$(own)"}"#])
                    device.pushVariables = ["OWN": "mine"]
                    return device
                }(), at: "news")
            for _ in 0..<2 {
                let body = #"{"Title":"Hi","Url2":"x","x":"y","News_French":"z"}"#
                #expect(try await fixture.exchange(fixture.send(to: "World", body)).status == 201)
            }
            let missing = fixture.emulator.warnings.filter { $0.kind == .missingProperty }
            #expect(missing.map(\.subject) == ["t url"])
            #expect(missing.first?.count == 2)
            #expect(missing.first?.text.contains("$(url:{text})") == true)
            let unused = fixture.emulator.warnings.filter { $0.kind == .unusedProperty }
            #expect(unused.map(\.subject) == ["Url2"])
            #expect(unused.first?.text.hasSuffix("; the templates have url") == true)
        }
    }

    @Test func aPropertyThatStandsTwiceInAnyCaseCausesAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            let device = #"{"installationId":"i","platform":"apns","pushChannel":"AB","templates":{"t":{"body":"#
            let body = device + #""{\"aps\":{\"alert\":\"$(message)\"}}"}}}"#
            let put = fixture.request(
                "PUT", "/news/installations/i", token: fixture.token("all"), headers: [:], body: body)
            #expect(try await fixture.exchange(put).status == 200)
            for content in [#"{"message":"a"}"#, #"{"Message":"a","message":"b"}"#] {
                let answer = try await fixture.exchange(
                    fixture.send(to: "$InstallationId:{i}", content, format: "template"))
                #expect(answer.status == 201)
            }
            let repeated = fixture.emulator.warnings.filter { $0.kind == .repeatedProperty }
            #expect(repeated.map(\.subject) == ["message"])
            #expect(repeated.first?.count == 1)
        }
    }

    @Test func anExpressionInsideATextCausesAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            let device = #"{"installationId":"i","platform":"apns","pushChannel":"AB","templates":{"t":{"body":"#
            let body = device + #""{\"aps\":{\"alert\":\"Hello $(name)\"}}"}}}"#
            let put = fixture.request(
                "PUT", "/news/installations/i", token: fixture.token("all"), headers: [:], body: body)
            #expect(try await fixture.exchange(put).status == 200)
            let warning = try warning(fixture, .mixedText)
            #expect(warning.subject == "t aps.alert")
            #expect(warning.text.contains("\"Hello $(name)\""))
            #expect(warning.text.contains("{'text ' + $(name)}"))
        }
    }

    @Test func aWindowsTemplateWithoutTypeCausesAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    "i", platform: .wns, pushChannel: .handle("x"), tags: ["World"],
                    templates: ["t": "<toast><text>$(m)</text></toast>"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(fixture.emulator.warnings.map(\.kind) == [.wnsType])
            #expect(try warning(fixture, .wnsType, "t").text.contains("among the template's headers"))
        }
    }

    @Test func tooManyTagsCauseAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            for count in [60, 61] {
                try fixture.emulator.register(
                    Installation("i\(count)", pushChannel: .handle("AB"), tags: (1...count).map { "t\($0)" }),
                    at: "news")
            }
            #expect(fixture.emulator.warnings.map(\.subject) == ["i61"])
            #expect(try warning(fixture, .tooManyTags).text.contains("has 61 tags; 60 are documented"))
        }
    }

    @Test func aPayloadOfTheWrongShapeCausesAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    "droid", platform: .fcmV1, pushChannel: .handle("T"), tags: ["World"],
                    templates: ["old": #"{"notification":{"title":"$(m)"}}"#]), at: "news")
            try register(fixture)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let alert = #"{"alert":"x"}"#
            #expect(try await fixture.exchange(fixture.send(to: "World", alert, format: "apple")).status == 201)
            let shapes = fixture.emulator.warnings.filter { $0.kind == .payloadShape }
            #expect(shapes.map(\.subject) == ["fcmV1 old", "apns"])
            #expect(shapes.first?.text.contains("message is missing") == true)
            #expect(shapes.last?.text.contains("aps is missing") == true)
            // It is shown all the same: what was made is what a test wants to see.
            #expect(try fixture.emulator.inbox(of: "droid", at: "news").count == 1)
        }
    }

    @Test func aCorrectSendCausesNoWarning() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }
}
