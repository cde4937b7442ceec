import Foundation
import Testing

@testable import HubEmulator

/// Templates of devices: XML and JSON, headers and expiry with expressions, and the platforms' limits.
@Suite struct SharedTemplateTests {
    private static let toast =
        "<toast><visual><binding template=\"ToastText02\"><text id=\"1\">$(title)</text><text id=\"2\">$(m)</text>"
        + "</binding></visual></toast>"

    private func register(
        _ fixture: EmulatorFixture, _ platform: Installation.Platform, _ template: Installation.Template
    ) throws {
        var device = Installation("i", platform: platform, pushChannel: .handle("ABCD"), tags: ["World"])
        device.templates = ["t": template]
        try fixture.emulator.register(device, at: "news")
    }

    @Test func aWindowsDeviceGetsItsToast() async throws {
        try await EmulatorFixture.run { fixture in
            try register(
                fixture, .wns,
                .init(body: Self.toast, headers: ["X-WNS-Type": "wns/toast", "X-WNS-Tag": "{'n-' + $(id)}"]))
            let body = #"{"title":"A & B","m":"<1>","id":"7"}"#
            #expect(try await fixture.exchange(fixture.send(to: "World", body)).status == 201)
            let shown = try #require(try fixture.emulator.inbox(of: "i", at: "news").first)
            #expect(
                shown.payload
                    == Self.toast.replacing("$(title)", with: "A &amp; B").replacing("$(m)", with: "&lt;1&gt;"))
            #expect(shown.headers == ["X-WNS-Type": "wns/toast", "X-WNS-Tag": "n-7"])
            #expect(shown.alert?.title == "A & B")
            #expect(shown.alert?.body == "<1>")
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    @Test func headersAndExpiryAreEvaluatedPerDevice() async throws {
        try await EmulatorFixture.run { fixture in
            for (id, level) in [("a", "5"), ("b", "10")] {
                var device = Installation(id, pushChannel: .handle("AB"), tags: ["World"])
                device.templates = [
                    "t": .init(
                        body: #"{"aps":{"alert":"$(m)"}}"#,
                        headers: ["apns-priority": "$(level)", "apns-collapse-id": "$(topic, 3)", "apns-topic": "app"],
                        expiry: "$(until:{0})")
                ]
                device.pushVariables = ["level": level]
                try fixture.emulator.register(device, at: "news")
            }
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"x","topic":"sports"}"#)).status == 201)
            for (id, level) in [("a", "5"), ("b", "10")] {
                #expect(
                    try fixture.emulator.inbox(of: id, at: "news").map(\.headers) == [
                        [
                            "apns-priority": level, "apns-collapse-id": "spo", "apns-topic": "app",
                            "ServiceBusNotification-Apns-Expiry": "0",
                        ]
                    ])
            }
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    @Test func aNativeSendShowsItsPlatformHeaders() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture, .apns, .init(body: "{}"))
            let headers = [
                "ServiceBusNotification-Format": "apple", "ServiceBusNotification-Tags": "World",
                "Content-Type": "application/json", "apns-push-type": "alert", "TrackingId": "x",
            ]
            let body = #"{"aps":{"alert":"x"}}"#
            #expect(try await fixture.exchange(fixture.request(headers: headers, body: body)).status == 201)
            let shown = try fixture.emulator.inbox(of: "i", at: "news")
            #expect(shown.map(\.headers) == [["apns-push-type": "alert"]])
        }
    }

    @Test func anExpressionCanMakeAPushACall() async throws {
        try await EmulatorFixture.run { fixture in
            try register(
                fixture, .apns, .init(body: #"{"aps":{},"m":"$(m)"}"#, headers: ["APNS-Push-Type": "$(kind)"]))
            for kind in ["alert", "voip"] {
                let body = #"{"m":"\#(String(repeating: "x", count: 5_000))","kind":"\#(kind)"}"#
                #expect(try await fixture.exchange(fixture.send(to: "World", body)).status == 201)
            }
            #expect(fixture.emulator.journal().map(\.reached) == [0, 1])
        }
    }

    @Test(arguments: [
        (Installation.Platform.wns, "<toast>$(m</toast>", "toast: character 4"),
        (.mpns, "<a><b></a>", "a/b: character"), (.apns, "<toast>$(m)</toast>", "it must be a JSON object"),
        (.wns, "text", "it must be a JSON object"), (.fcmV1, #"{"a":"$5"}"#, "a: character 2"),
    ])
    func anInvalidTemplateIsRefusedWithItsPlace(platform: Installation.Platform, body: String, text: String)
        async throws
    {
        try await EmulatorFixture.run { fixture in
            #expect { try register(fixture, platform, .init(body: body)) } throws: { "\($0)".contains(text) }
            let devices = try fixture.emulator.devices(at: "news")
            #expect(devices.isEmpty)
        }
    }

    @Test func anInvalidHeaderOrExpiryIsRefusedByName() async throws {
        try await EmulatorFixture.run { fixture in
            #expect {
                try register(fixture, .apns, .init(body: "{}", headers: ["apns-priority": "$(x"]))
            } throws: {
                "\($0)".contains("apns-priority: character 4")
            }
            #expect {
                try register(fixture, .apns, .init(body: "{}", expiry: "$x"))
            } throws: {
                "\($0)".contains("ServiceBusNotification-Apns-Expiry: character 2")
            }
        }
    }

    /// The same text is XML for one platform, and not a template for another.
    @Test func onlyWindowsTakesXMLTemplates() async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture, .wns, .init(body: "<toast/>"))
            #expect(throws: EmulatorError.self) { try register(fixture, .apns, .init(body: "<toast/>")) }
        }
    }

    /// Checked after rendering, for templates too.
    @Test(arguments: [
        (Installation.Platform.apns, 4_096), (.fcmV1, 4_096), (.gcm, 4_096), (.wns, 5_120), (.mpns, 3_072),
        (.adm, 6_144), (.baidu, 4_096), (.xiaomi, 4_096),
    ])
    func aRenderedPayloadHasThePlatformsLimit(platform: Installation.Platform, limit: Int) async throws {
        try await EmulatorFixture.run { fixture in
            try register(fixture, platform, .init(body: #"{"m":"$(m)"}"#))
            for size in [limit, limit + 1] {
                let body = #"{"m":"\#(String(repeating: "x", count: size - 8))"}"#
                #expect(try await fixture.exchange(fixture.send(to: "World", body)).status == 201)
            }
            #expect(fixture.emulator.journal().map(\.reached) == [1, 0])
            let warning = fixture.emulator.warnings.first { $0.kind == .tooLargeForPlatform }
            #expect(warning?.text.contains("\(limit + 1) bytes are more than the \(limit)") == true)
        }
    }
}
