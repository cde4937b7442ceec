import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// Sends in a platform's own format: content types, size limits, and results of test sends.
@Suite struct SendFormatTests {
    private func register(_ platform: Installation.Platform, at fixture: EmulatorFixture) throws {
        let channel: PushChannel =
            platform == .browser
            ? .browser(endpoint: "https://push.example/x", p256dh: "P", auth: "A") : .handle("AB<&>")
        try fixture.emulator.register(
            Installation(
                "i", platform: platform, pushChannel: platform == .apns ? .handle("ABCD") : channel, tags: ["World"],
                templates: ["t": #"{"a":"$(m)"}"#]), at: "news")
    }

    /// A small valid payload for the platform.
    private static let json = [
        "apple": #"{"aps":{"alert":"x"}}"#, "fcmv1": #"{"message":{"data":{"m":"x"}}}"#,
        "gcm": #"{"data":{"m":"x"}}"#, "adm": #"{"data":{"m":"x"}}"#,
    ]
    private static let xml = ["windows": "<toast/>", "windowsphone": "<Notification/>"]

    private func send(
        _ fixture: EmulatorFixture, _ format: String, _ body: String, query: String = "api-version=2020-06",
        _ headers: [String: String] = ["Content-Type": "application/json;charset=utf-8"]
    ) async throws -> Client.Reply {
        var headers = headers
        headers["ServiceBusNotification-Format"] = format
        headers["ServiceBusNotification-Tags"] = "World"
        return try await fixture.exchange(
            fixture.request("POST", "/news/messages?\(query)", headers: headers, body: body))
    }

    /// Every case of `content_types.json`.
    @Test func sendsOfTheClientsGetNoWarning() async throws {
        let formats = try Vectors.objects("content_types", "formats")
        try await EmulatorFixture.run { fixture in
            for vector in formats {
                guard let name = vector["format"] as? String, let format = SendFormat(header: name) else { continue }
                fixture.emulator.clearJournal()
                try register(format.platform ?? .apns, at: fixture)
                let isXML = format == .windows || format == .windowsphone
                var headers = ["Content-Type": try #require(vector["content_type"] as? String)]
                if format == .windows { headers["X-WNS-Type"] = "wns/toast" }
                let body = isXML ? try #require(Self.xml[name]) : Self.json[name] ?? #"{"m":"x"}"#
                let reply = try await send(fixture, name, body, headers)
                #expect(reply.status == 201, "\(name)")
                let inbox = try fixture.emulator.inbox(of: "i", at: "news")
                #expect(inbox.map(\.payload) == [format == .template ? #"{"a":"x"}"# : body], "\(name)")
            }
            let strange = fixture.emulator.warnings.filter { $0.kind != .payloadShape || $0.subject != "apns t" }
            #expect(strange.isEmpty)
        }
    }

    @Test func contentTypesAreReadAsByTheDotNetClient() throws {
        let vector = try #require(try Vectors.object("content_types")["dotnet_parse"] as? [String: Any])
        for text in try #require(vector["valid"] as? [String]) {
            let type = try #require(ContentType(text), "\(text)")
            #expect(type.media.hasPrefix("application/"))
            #expect([nil, "utf-8"].contains(type.parameters["charset"]?.lowercased()))
        }
        for text in try #require(vector["invalid"] as? [String]) { #expect(ContentType(text) == nil, "\(text)") }
        for text in ["", "/", "a/b;", "a/b;;", "a/b; a=b; A=c", #"a/b; a="\""#, #"a/b; a="b"#, "a/b c", "é/b"] {
            #expect(ContentType(text) == nil, "\(text)")
        }
    }

    @Test func aWrongTypeIsWarnedAboutAndAnInvalidOneRefused() async throws {
        try await EmulatorFixture.run { fixture in
            try register(.wns, at: fixture)
            for (format, headers) in [
                ("apple", ["Content-Type": "application/xml"]), ("template", [:]),
                ("windows", ["Content-Type": "application/xml", "X-WNS-Type": "wns/raw"]),
                ("windows", ["Content-Type": "application/xml"]),
            ] {
                let reply = try await send(fixture, format, "{}", headers)
                #expect(reply.status == 201)
            }
            let aboutPayloads: Set<EmulatorWarning.Kind> = [.payloadShape, .missingProperty]
            let found = fixture.emulator.warnings.filter { !aboutPayloads.contains($0.kind) && $0.subject != "t" }.map {
                "\($0.kind.rawValue) \($0.subject) \($0.count)"
            }
            #expect(found == ["contentType apple 1", "contentType template 1", "contentType windows 1", "wnsType  1"])
            let refused = try await send(fixture, "apple", "{}", ["Content-Type": "application/json;charset="])
            #expect(refused.status == 400)
            #expect(refused.body.contains("The Content-Type is not valid."))
        }
    }

    @Test func rawBytesReachAWindowsDevice() async throws {
        try await EmulatorFixture.run { fixture in
            try register(.wns, at: fixture)
            let head = fixture.request(
                headers: [
                    "ServiceBusNotification-Format": "windows", "ServiceBusNotification-Tags": "World",
                    "Content-Type": "application/octet-stream", "X-WNS-Type": "wns/raw",
                ], body: "xx")
            let client = try fixture.client()
            try await client.write(Array(head.utf8.dropLast(2)) + [0xFF, 0x00])
            #expect(try await client.reply().status == 201)
            #expect(try fixture.emulator.inbox(of: "i", at: "news").map(\.payload) == ["\u{FFFD}\0"])
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    /// The hub accepts one byte more than the platform's limit; the platform's service drops it.
    @Test(arguments: [
        ("apple", 4_096, [:]), ("apple", 5_120, ["apns-push-type": "voip"]), ("fcmv1", 4_096, [:]),
        ("gcm", 4_096, [:]), ("windows", 5_120, ["X-WNS-Type": "wns/toast"]), ("adm", 6_144, [:]),
        ("baidu", 4_096, [:]), ("browser", 4_096, [:]), ("xiaomi", 4_096, [:]),
    ])
    func aPayloadOverThePlatformsLimitIsDropped(format: String, limit: Int, more: [String: String]) async throws {
        try await EmulatorFixture.run { fixture in
            let known = try #require(SendFormat(header: format))
            try register(try #require(known.platform), at: fixture)
            let headers = more.merging(["Content-Type": known.media(isRaw: false)[0]]) { own, _ in own }
            let fits = #"{"m":""# + String(repeating: "x", count: limit - 8) + #""}"#
            for (body, reached) in [(fits, 1), (fits + " ", 0)] {
                fixture.emulator.clearJournal()
                let reply = try await send(fixture, format, body, query: "api-version=2020-06&test", headers)
                #expect(reply.status == 201)
                #expect(fixture.emulator.journal().first?.reached == reached)
                #expect(try fixture.emulator.inbox(of: "i", at: "news").count == reached)
                #expect(reply.body.contains("<Success>\(reached)</Success><Failure>\(1 - reached)</Failure>"))
                let kinds = fixture.emulator.warnings.map(\.kind).filter { $0 != .payloadShape }
                #expect(kinds == (reached == 1 ? [] : [.tooLargeForPlatform]))
                let direct = fixture.request(
                    "POST", "/news/messages?api-version=2020-06&direct",
                    headers: headers.merging([
                        "ServiceBusNotification-Format": format, "ServiceBusNotification-DeviceHandle": "h",
                        "Auth": "A", "P256DH": "P",
                    ]) { own, _ in own }, body: body)
                let answer = try await fixture.exchange(direct)
                #expect(answer.status == 201)
                #expect(try fixture.emulator.inbox(ofHandle: "h", at: "news").count == reached)
            }
        }
    }

    @Test func aTemplateForCallsMayBeLarger() async throws {
        try await EmulatorFixture.run { fixture in
            var phone = Installation(
                "i", pushChannel: .handle("AB"), tags: ["World"], templates: ["ring": #"{"m":"$(m)"}"#])
            try fixture.emulator.register(phone, at: "news")
            let body = #"{"m":"\#(String(repeating: "x", count: 5_000))"}"#
            #expect(try await send(fixture, "template", body).status == 201)
            phone.templates?["ring"]?.headers = ["apns-push-type": "voip"]
            try fixture.emulator.register(phone, at: "news")
            #expect(try await send(fixture, "template", body).status == 201)
            #expect(fixture.emulator.journal().map(\.reached) == [0, 1])
        }
    }

    /// Each platform, as a device and as a template, in the form of `telemetry.json`.
    @Test(arguments: Installation.Platform.allCases)
    func aTestSendNamesEveryPlatform(platform: Installation.Platform) async throws {
        try await EmulatorFixture.run { fixture in
            try register(platform, at: fixture)
            for format in [platform.format, "template"] {
                let reply = try await send(fixture, format, #"{"m":"x"}"#, query: "api-version=2020-06&test=true")
                #expect(reply.status == 201)
                #expect(reply.headers["content-type"] == "application/xml; charset=utf-8")
                let name = platform.format + (format == "template" ? "template" : "")
                #expect(reply.body.contains("<ApplicationPlatform>\(name)</ApplicationPlatform>"))
                let recorded = try outcome("one")
                #expect(shape(reply.body) == shape(recorded))
            }
            #expect(fixture.emulator.journal().map(\.kind) == [.test, .test])
        }
    }

    @Test func aTestSendReachesAtMostTenDevices() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 1...12 {
                try fixture.emulator.register(
                    Installation("i\(number)", pushChannel: .handle("AB"), tags: ["World"]), at: "news")
            }
            let reply = try await send(fixture, "apple", "{}", query: "api-version=2020-06&test")
            #expect(reply.body.contains("<Success>10</Success><Failure>0</Failure>"))
            #expect(reply.body.matches(of: /<RegistrationResult>/).count == 10)
            #expect(fixture.emulator.journal().map(\.reached) == [10])
        }
    }

    @Test func aTestSendWithoutTargetsSaysSo() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await send(fixture, "template", "{}", query: "api-version=2020-06&test")
            let recorded = try outcome("none")
            #expect(reply.body == recorded)
        }
    }

    private func outcome(_ id: String) throws -> String {
        let cases = try Vectors.objects("telemetry", "test_send")
        return try #require(cases.first { $0["id"] as? String == id }?["body"] as? String)
    }

    /// Without the device's own values.
    private func shape(_ body: String) -> String {
        body.replacing(/<(ApplicationPlatform|PnsHandle|RegistrationId)>[^<]*</) { "<\($0.output.1)><" }
    }
}
