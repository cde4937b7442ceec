import Foundation
import PushModel
import Testing

@testable import HubEmulator

@Suite struct DeviceTests {
    private static let languages = ["English", "French", "Mandarin"]

    private static let news = #"""
        {"News_English": "World news in \"English\"!", "News_French": "Nouvelles en français !", "News_Mandarin": "世界新闻"}
        """#

    /// The breaking news tutorial.
    @Test func oneSendReachesEveryDeviceInItsLanguage() async throws {
        try await EmulatorFixture.run { fixture in
            for language in Self.languages {
                try fixture.emulator.register(
                    Installation(
                        language, pushChannel: .handle("AB"), tags: ["World"],
                        templates: ["news": #"{"aps": {"alert": "$(News_\#(language))"}, "n": "$(News_\#(language))"}"#]
                    ),
                    at: "news")
            }
            try fixture.emulator.register(
                Installation("sports fan", pushChannel: .handle("AB"), tags: ["Sports"], templates: ["news": "{}"]),
                at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World", Self.news)).status == 201)

            let shown = try Self.languages.map { try fixture.emulator.inbox(of: $0, at: "news") }
            #expect(
                shown.map { $0.map(\.alert?.body) } == [
                    ["World news in \"English\"!"], ["Nouvelles en français !"], ["世界新闻"],
                ])
            #expect(
                shown[0].first?.payload
                    == #"{"aps": {"alert": "World news in \"English\"!"}, "n": "World news in \"English\"!"}"#)
            #expect(shown[0].first?.number == fixture.emulator.journal().first?.number)
            #expect(shown[0].first?.template == "news")
            #expect(try fixture.emulator.inbox(of: "sports fan", at: "news").isEmpty)
            #expect(fixture.emulator.count().shown == 3)
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        ("World", ["ann", "bob"]), ("world", ["ann", "bob"]), ("World && fr", ["bob"]), ("World && !fr", ["ann"]),
        ("!World", ["cat"]), ("fr || Sports", ["bob", "cat"]), ("$UserId:{u3}", ["cat"]),
        ("$InstallationId:{ann}", ["ann"]), ("$InstallationId:{bob} && t", ["bob"]), ("$InstallationId:{bob} && u", []),
        ("nobody", []), (nil, ["ann", "bob", "cat"]), ("", []),
    ])
    func tagsSelectTheDevices(tags: String?, devices: [String]) async throws {
        try await EmulatorFixture.run { fixture in
            for (id, user, its) in [("ann", nil, ["World"]), ("bob", nil, ["World", "FR"]), ("cat", "u3", ["Sports"])] {
                try fixture.emulator.register(
                    Installation(
                        id, pushChannel: .handle("AB"), user: user, tags: its,
                        templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
            }
            #expect(try await fixture.exchange(fixture.send(to: tags)).status == 201)
            let reached = try ["ann", "bob", "cat"].filter { try !fixture.emulator.inbox(of: $0, at: "news").isEmpty }
            #expect(reached == devices)
            #expect(fixture.emulator.journal().first?.reached == devices.count)
        }
    }

    @Test func pushVariablesFillTheTemplates() async throws {
        try await EmulatorFixture.run { fixture in
            for (id, city) in [("rome", "Rome"), ("none", nil)] {
                var device = Installation(
                    id, pushChannel: .handle("AB"), templates: ["t": #"{"a":"$(City)","m":"$(m)"}"#])
                device.pushVariables = city.map { ["city": $0, "M": "never seen"] }
                try fixture.emulator.register(device, at: "news")
            }
            for body in [#"{"m":"x"}"#, #"{"m":"x","CITY":"Oslo"}"#] {
                #expect(try await fixture.exchange(fixture.send(to: "t", body)).status == 201)
            }
            #expect(
                try fixture.emulator.inbox(of: "rome", at: "news").map(\.payload)
                    == [#"{"a":"Rome","m":"x"}"#, #"{"a":"Oslo","m":"x"}"#])
            #expect(
                try fixture.emulator.inbox(of: "none", at: "news").map(\.payload)
                    == [#"{"a":"","m":"x"}"#, #"{"a":"Oslo","m":"x"}"#])
            let token = fixture.token("all")
            let read = try await fixture.exchange(fixture.request("GET", "/news/installations/rome", token: token))
            #expect(read.body.contains(#""pushVariables":{"M":"never seen","city":"Rome"}"#))
            let listed = try await fixture.exchange(fixture.request("GET", "/news/registrations", token: token))
            #expect(listed.body.contains(#"<PushVariables>{"M":"never seen","city":"Rome"}</PushVariables>"#))
        }
    }

    @Test func twoMatchingTemplatesGiveTwoPushes() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    "i", pushChannel: .handle("AB"), templates: ["a": #"{"x":"$(m)"}"#, "b": #"{"y":"$(m)"}"#]),
                at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "$InstallationId:{i}")).status == 201)
            #expect(
                try fixture.emulator.inbox(of: "i", at: "news").map(\.payload) == [#"{"x":"x"}"#, #"{"y":"x"}"#])
        }
    }

    @Test func aNativePayloadReachesOnlyItsPlatform() async throws {
        try await EmulatorFixture.run { fixture in
            let template = ["t": #"{"aps":{"alert":"$(m)"}}"#]
            try fixture.emulator.register(
                Installation("phone", pushChannel: .handle("AB"), templates: template), at: "news")
            try fixture.emulator.register(
                Installation("droid", platform: .fcmV1, pushChannel: .handle("T"), templates: template), at: "news")
            let payload = #"{"message":{"notification":{"title":"t","body":"b"}}}"#
            #expect(try await fixture.exchange(fixture.send(to: "!x", payload, format: "fcmV1")).status == 201)
            let inbox = try fixture.emulator.inbox(of: "droid", at: "news")
            #expect(inbox.map(\.payload) == [payload])
            #expect(inbox.first?.template == nil)
            #expect(inbox.first?.alert == AlertText(payload: payload))
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").isEmpty)
        }
    }

    @Test func aDeviceRegisteredAgainHasOnlyItsNewTags() async throws {
        try await EmulatorFixture.run { fixture in
            for tag in ["World", "Sports"] {
                try fixture.emulator.register(
                    Installation("i", pushChannel: .handle("AB"), tags: [tag], templates: ["t": "{}"]), at: "news")
            }
            for tag in ["World", "Sports"] {
                #expect(try await fixture.exchange(fixture.send(to: tag)).status == 201)
            }
            #expect(fixture.emulator.journal().map(\.reached) == [0, 1])
        }
    }

    @Test func likelyMistakesOfASenderGetWarnings() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            try fixture.emulator.register(
                Installation(
                    "i", pushChannel: .handle("AB"), tags: ["World"],
                    templates: ["fr": #"{"aps":{"alert":"$(News_French)"}}"#, "big": #"{"x":"$(big)"}"#]), at: "news")
            var late = Installation("late", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": "{}"])
            late.expirationTime = "2027-01-15T08:00:00Z"
            try fixture.emulator.register(late, at: "news")
            let big = #"{"big":"\#(String(repeating: "x", count: 5_000))"}"#
            let odd = [
                "ServiceBusNotification-Format": "template", "Tags": "World", "ServiceBusNotification-Urgency": "1",
            ]
            for request in [
                fixture.send(to: "World || Wrold", big), fixture.send(to: "wrold"), fixture.send(to: ""),
                fixture.request("POST", "/news/messages", headers: odd, body: #"{"News_French":"x"}"#),
                fixture.send(to: "World", "<toast/>", format: "windows"),
                fixture.request(
                    "POST", "/news/messages?api-version=2031-01",
                    headers: [
                        "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World",
                        "ServiceBusNotification-ScheduleTime": ScheduledSendsTests.inAnHour,
                    ], body: #"{"News_French":"x"}"#),
                ScheduledSendsTests.schedule(fixture, at: "2027-01-15T08:01:00"),
            ] {
                #expect(try await fixture.exchange(request).status == 201)
            }
            let warnings = fixture.emulator.warnings
            #expect(
                Set(warnings.map(\.kind)).isSuperset(of: [
                    .broadcast, .emptyTags, .tagsHeader, .unknownHeader, .contentType, .wnsType, .missingVersion,
                    .unknownTag, .noDevices, .emptyAlert, .tooLargeForPlatform,
                ]))
            #expect(warnings.first { $0.kind == .unknownTag }.map { [$0.subject, "\($0.count)"] } == ["wrold", "2"])
            #expect(warnings.first { $0.kind == .emptyAlert }?.subject == "fr")
            #expect(warnings.allSatisfy { $0.hub == "news" && !$0.text.isEmpty })
        }
    }
}
