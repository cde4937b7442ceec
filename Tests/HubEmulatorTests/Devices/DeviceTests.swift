import Foundation
import Testing

@testable import HubEmulator

@Suite struct DeviceTests {
    private static let languages = ["English", "French", "Mandarin"]

    private static let news = #"""
        {"News_English": "World news in \"English\"!", "News_French": "Nouvelles en français !", "News_Mandarin": "世界新闻"}
        """#

    /// The breaking news tutorial: one send, and every phone shows its own language.
    @Test func oneSendShowsEveryDeviceItsOwnLanguage() async throws {
        try await Bench.run { bench in
            for language in Self.languages {
                try bench.emulator.register(
                    Installation(
                        language, pushChannel: .handle("AB"), tags: ["World"],
                        templates: ["news": #"{"aps": {"alert": "$(News_\#(language))"}, "n": "$(News_\#(language))"}"#]
                    ),
                    at: "news")
            }
            try bench.emulator.register(
                Installation("sports fan", pushChannel: .handle("AB"), tags: ["Sports"], templates: ["news": "{}"]),
                at: "news")
            #expect(try await bench.exchange(bench.send(to: "World", Self.news)).status == 201)

            let shown = try Self.languages.map { try bench.emulator.inbox(of: $0, at: "news") }
            #expect(
                shown.map { $0.map(\.alert?.body) } == [
                    ["World news in \"English\"!"], ["Nouvelles en français !"], ["世界新闻"],
                ])
            #expect(
                shown[0].first?.payload
                    == #"{"aps": {"alert": "World news in \"English\"!"}, "n": "World news in \"English\"!"}"#)
            #expect(shown[0].first?.number == bench.emulator.journal().first?.number)
            #expect(shown[0].first?.template == "news")
            #expect(try bench.emulator.inbox(of: "sports fan", at: "news").isEmpty)
            #expect(bench.emulator.count().shown == 3)
            #expect(bench.emulator.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        ("World", ["ann", "bob"]), ("world", ["ann", "bob"]), ("World && fr", ["bob"]), ("World && !fr", ["ann"]),
        ("!World", ["cat"]), ("fr || Sports", ["bob", "cat"]), ("$UserId:{u3}", ["cat"]),
        ("$InstallationId:{ann}", ["ann"]), ("$InstallationId:{bob} && t", ["bob"]), ("$InstallationId:{bob} && u", []),
        ("nobody", []), (nil, ["ann", "bob", "cat"]), ("", []),
    ])
    func tagsDecideWhoGetsIt(tags: String?, devices: [String]) async throws {
        try await Bench.run { bench in
            for (id, user, its) in [("ann", nil, ["World"]), ("bob", nil, ["World", "FR"]), ("cat", "u3", ["Sports"])] {
                try bench.emulator.register(
                    Installation(
                        id, pushChannel: .handle("AB"), user: user, tags: its,
                        templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
            }
            #expect(try await bench.exchange(bench.send(to: tags)).status == 201)
            let reached = try ["ann", "bob", "cat"].filter { try !bench.emulator.inbox(of: $0, at: "news").isEmpty }
            #expect(reached == devices)
            #expect(bench.emulator.journal().first?.reached == devices.count)
        }
    }

    @Test func aDevicesOwnVariablesFillItsTemplates() async throws {
        try await Bench.run { bench in
            for (id, city) in [("rome", "Rome"), ("none", nil)] {
                var device = Installation(
                    id, pushChannel: .handle("AB"), templates: ["t": #"{"a":"$(City)","m":"$(m)"}"#])
                device.pushVariables = city.map { ["city": $0, "M": "never seen"] }
                try bench.emulator.register(device, at: "news")
            }
            for body in [#"{"m":"x"}"#, #"{"m":"x","CITY":"Oslo"}"#] {
                #expect(try await bench.exchange(bench.send(to: "t", body)).status == 201)
            }
            #expect(
                try bench.emulator.inbox(of: "rome", at: "news").map(\.payload)
                    == [#"{"a":"Rome","m":"x"}"#, #"{"a":"Oslo","m":"x"}"#])
            #expect(
                try bench.emulator.inbox(of: "none", at: "news").map(\.payload)
                    == [#"{"a":"","m":"x"}"#, #"{"a":"Oslo","m":"x"}"#])
            let token = bench.token("all")
            let read = try await bench.exchange(bench.request("GET", "/news/installations/rome", token: token))
            #expect(read.body.contains(#""pushVariables":{"M":"never seen","city":"Rome"}"#))
            let listed = try await bench.exchange(bench.request("GET", "/news/registrations", token: token))
            #expect(listed.body.contains(#"<PushVariables>{"M":"never seen","city":"Rome"}</PushVariables>"#))
        }
    }

    @Test func twoMatchingTemplatesAreTwoPushes() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                Installation(
                    "i", pushChannel: .handle("AB"), templates: ["a": #"{"x":"$(m)"}"#, "b": #"{"y":"$(m)"}"#]),
                at: "news")
            #expect(try await bench.exchange(bench.send(to: "$InstallationId:{i}")).status == 201)
            #expect(
                try bench.emulator.inbox(of: "i", at: "news").map(\.payload) == [#"{"x":"x"}"#, #"{"y":"x"}"#])
        }
    }

    @Test func aPayloadInThePlatformsOwnFormatReachesThatPlatformOnly() async throws {
        try await Bench.run { bench in
            let template = ["t": #"{"aps":{"alert":"$(m)"}}"#]
            try bench.emulator.register(
                Installation("phone", pushChannel: .handle("AB"), templates: template), at: "news")
            try bench.emulator.register(
                Installation("droid", platform: .fcmV1, pushChannel: .handle("T"), templates: template), at: "news")
            let payload = #"{"message":{"notification":{"title":"t","body":"b"}}}"#
            #expect(try await bench.exchange(bench.send(to: "!x", payload, format: "fcmV1")).status == 201)
            let inbox = try bench.emulator.inbox(of: "droid", at: "news")
            #expect(inbox.map(\.payload) == [payload])
            #expect(inbox.first?.template == nil)
            #expect(inbox.first?.alert == AlertText(payload: payload))
            #expect(try bench.emulator.inbox(of: "phone", at: "news").isEmpty)
        }
    }

    @Test func aDeviceRegisteredAgainHasOnlyItsNewTags() async throws {
        try await Bench.run { bench in
            for tag in ["World", "Sports"] {
                try bench.emulator.register(
                    Installation("i", pushChannel: .handle("AB"), tags: [tag], templates: ["t": "{}"]), at: "news")
            }
            for tag in ["World", "Sports"] {
                #expect(try await bench.exchange(bench.send(to: tag)).status == 201)
            }
            #expect(bench.emulator.journal().map(\.reached) == [0, 1])
        }
    }

    @Test func whatASenderDidNotMeanIsWarnedAbout() async throws {
        try await Bench.run { bench in
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            try bench.emulator.register(
                Installation(
                    "i", pushChannel: .handle("AB"), tags: ["World"],
                    templates: ["fr": #"{"aps":{"alert":"$(News_French)"}}"#, "big": #"{"x":"$(big)"}"#]), at: "news")
            var late = Installation("late", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": "{}"])
            late.expirationTime = "2027-01-15T08:00:00Z"
            try bench.emulator.register(late, at: "news")
            let big = #"{"big":"\#(String(repeating: "x", count: 5_000))"}"#
            let odd = [
                "ServiceBusNotification-Format": "template", "Tags": "World", "ServiceBusNotification-Urgency": "1",
            ]
            for request in [
                bench.send(to: "World || Wrold", big), bench.send(to: "wrold"), bench.send(to: ""),
                bench.request("POST", "/news/messages", headers: odd, body: #"{"News_French":"x"}"#),
                bench.send(to: "World", "<toast/>", format: "windows"),
                bench.request(
                    "POST", "/news/messages?api-version=2031-01",
                    headers: [
                        "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World",
                        "ServiceBusNotification-ScheduleTime": ScheduleTests.inAnHour,
                    ], body: #"{"News_French":"x"}"#),
                ScheduleTests.schedule(bench, at: "2027-01-15T08:01:00"),
            ] {
                #expect(try await bench.exchange(request).status == 201)
            }
            let warnings = bench.emulator.warnings
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
