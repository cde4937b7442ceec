import Foundation
import Testing

@testable import HubEmulator

/// What the service takes in silence and is almost surely wrong: each is told once, with what will happen and how to mend
/// it, and counted.
@Suite struct TeachingTests {
    private static let alert = ["t": #"{"aps":{"alert":"$(m)"}}"#]

    private func warning(
        _ bench: Bench, _ kind: EmulatorWarning.Kind, _ subject: String? = nil
    ) throws -> EmulatorWarning {
        let found = bench.emulator.warnings.first { $0.kind == kind && subject ?? $0.subject == $0.subject }
        return try #require(found, "\(bench.emulator.warnings)")
    }

    private func register(_ bench: Bench, _ templates: [String: String] = TeachingTests.alert) throws {
        try bench.emulator.register(
            Installation("i", pushChannel: .handle("AB"), tags: ["World"], templates: templates), at: "news")
    }

    @Test func aMisspeltTagIsToldWithTheOneThatWasMeant() async throws {
        try await Bench.run { bench in
            try register(bench)
            for tags in ["Wrold", "wrold", "elsewhere", "$UserId:{wrold}"] {
                #expect(try await bench.exchange(bench.send(to: tags)).status == 201)
            }
            let near = try warning(bench, .unknownTag, "wrold")
            #expect(near.text == "no device has the tag wrold; did you mean world?")
            #expect(near.count == 2)
            #expect(try warning(bench, .unknownTag, "elsewhere").text.contains("reaches nobody by it"))
            #expect(try !warning(bench, .unknownTag, "$userid:{wrold}").text.contains("did you mean"))
        }
    }

    @Test(arguments: [
        ("World && !World", EmulatorWarning.Kind.impossibleTags, "nobody gets it"),
        ("World || !World", .broadcast, "every device matches"),
        ("AND || World", .wordTag, "the operators are && || !"),
    ])
    func anExpressionThatCannotBeMeantIsTold(tags: String, kind: EmulatorWarning.Kind, text: String) async throws {
        try await Bench.run { bench in
            try register(bench)
            #expect(try await bench.exchange(bench.send(to: tags)).status == 201)
            #expect(try warning(bench, kind).text.contains(text))
        }
    }

    @Test func headersTheServiceReadsOverAreTold() async throws {
        try await Bench.run { bench in
            try register(bench)
            var headers = [
                "ServiceBusNotification-Format": "template", "Content-Type": "application/json",
                "ServiceBusNotifications-Tags": "World", "apns-pushtype": "alert", "X-WNS-Typ": "wns/toast",
                "ServiceBusNotification-TimeToLive": "5", "TrackingId": "x", "Accept": "*/*", "apns-priority": "5",
            ]
            #expect(try await bench.exchange(bench.request(headers: headers, body: #"{"m":"x"}"#)).status == 201)
            let unknown = bench.emulator.warnings.filter { $0.kind == .unknownHeader }
            #expect(
                unknown.map(\.subject).sorted() == [
                    "apns-pushtype", "servicebusnotification-timetolive", "servicebusnotifications-tags", "x-wns-typ",
                ])
            #expect(
                try warning(bench, .unknownHeader, "servicebusnotifications-tags").text
                    .hasSuffix("did you mean servicebusnotification-tags? A send without it goes to every device"))
            #expect(try warning(bench, .unknownHeader, "apns-pushtype").text.contains("did you mean apns-push-type?"))
            headers = ["ServiceBusNotification-Format": "template", "Tags": "World"]
            #expect(try await bench.exchange(bench.request(headers: headers, body: "{}")).status == 201)
            #expect(try warning(bench, .tagsHeader).text.contains("goes to every device"))
        }
    }

    @Test(arguments: [
        ("/news/messages?api-version=2023-10-01-preview", EmulatorWarning.Kind.unknownVersion, "management.azure.com"),
        ("/news/messages?api-version=2020-07", .unknownVersion, "sends use 2020-06"),
        ("/news/messages", .missingVersion, "add ?api-version=2020-06"),
    ])
    func aVersionNobodyUsesIsTold(target: String, kind: EmulatorWarning.Kind, text: String) async throws {
        try await Bench.run { bench in
            try register(bench)
            _ = try await bench.exchange(bench.request("POST", target, body: #"{"m":"x"}"#))
            #expect(try warning(bench, kind).text.contains(text))
        }
    }

    @Test func anEmptyAlertNamesTheLanguageThatIsMissing() async throws {
        try await Bench.run { bench in
            try register(bench, ["fr": #"{"aps":{"alert":"$(News_French)"},"n":"$(News_French)"}"#])
            #expect(try await bench.exchange(bench.send(to: "World", #"{"News_English":"Hi"}"#)).status == 201)
            let text = try warning(bench, .emptyAlert, "fr").text
            #expect(text.contains("the message lacks News_French and has News_English"))
            #expect(text.contains("$(name:{text})"))
            #expect(!bench.emulator.warnings.contains { $0.kind == .missingProperty })
        }
    }

    @Test func aMessageAndATemplateThatDoNotFitAreTold() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                {
                    var device = Installation(
                        "i", pushChannel: .handle("AB"), tags: ["World"],
                        templates: ["t": #"{"aps":{"alert":"$(title)"},"a":"$(url)","b":"$(x:{d})","c":"$(own)"}"#])
                    device.pushVariables = ["OWN": "mine"]
                    return device
                }(), at: "news")
            for _ in 0..<2 {
                let body = #"{"Title":"Hi","Url2":"x","x":"y","News_French":"z"}"#
                #expect(try await bench.exchange(bench.send(to: "World", body)).status == 201)
            }
            let missing = bench.emulator.warnings.filter { $0.kind == .missingProperty }
            #expect(missing.map(\.subject) == ["t url"])
            #expect(missing.first?.count == 2)
            #expect(missing.first?.text.contains("$(url:{text})") == true)
            let unused = bench.emulator.warnings.filter { $0.kind == .unusedProperty }
            #expect(unused.map(\.subject) == ["Url2"])
            #expect(unused.first?.text.hasSuffix("; the templates have url") == true)
        }
    }

    @Test func aTextWithAnExpressionInsideIsToldWhenItIsRegistered() async throws {
        try await Bench.run { bench in
            let device = #"{"installationId":"i","platform":"apns","pushChannel":"AB","templates":{"t":{"body":"#
            let body = device + #""{\"aps\":{\"alert\":\"Hello $(name)\"}}"}}}"#
            let put = bench.request("PUT", "/news/installations/i", token: bench.token("all"), headers: [:], body: body)
            #expect(try await bench.exchange(put).status == 200)
            let told = try warning(bench, .mixedText)
            #expect(told.subject == "t aps.alert")
            #expect(told.text.contains("\"Hello $(name)\""))
            #expect(told.text.contains("{'text ' + $(name)}"))
        }
    }

    @Test func aTemplateForWindowsThatDoesNotSayWhatItIsIsTold() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                Installation(
                    "i", platform: .wns, pushChannel: .handle("x"), tags: ["World"],
                    templates: ["t": "<toast><text>$(m)</text></toast>"]), at: "news")
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(bench.emulator.warnings.map(\.kind) == [.wnsType])
            #expect(try warning(bench, .wnsType, "t").text.contains("among the template's headers"))
        }
    }

    @Test func moreTagsThanDocumentedAreTold() async throws {
        try await Bench.run { bench in
            for count in [60, 61] {
                try bench.emulator.register(
                    Installation("i\(count)", pushChannel: .handle("AB"), tags: (1...count).map { "t\($0)" }),
                    at: "news")
            }
            #expect(bench.emulator.warnings.map(\.subject) == ["i61"])
            #expect(try warning(bench, .tooManyTags).text.contains("has 61 tags; 60 are documented"))
        }
    }

    @Test func aPayloadOfTheWrongShapeIsTold() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                Installation(
                    "droid", platform: .fcmV1, pushChannel: .handle("T"), tags: ["World"],
                    templates: ["old": #"{"notification":{"title":"$(m)"}}"#]), at: "news")
            try register(bench)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            let alert = #"{"alert":"x"}"#
            #expect(try await bench.exchange(bench.send(to: "World", alert, format: "apple")).status == 201)
            let shapes = bench.emulator.warnings.filter { $0.kind == .payloadShape }
            #expect(shapes.map(\.subject) == ["fcmV1 old", "apns"])
            #expect(shapes.first?.text.contains("message is missing") == true)
            #expect(shapes.last?.text.contains("aps is missing") == true)
            // It is shown all the same: what was made is what a test wants to see.
            #expect(try bench.emulator.inbox(of: "droid", at: "news").count == 1)
        }
    }

    @Test func aSendThatIsRightIsTakenWithoutAWord() async throws {
        try await Bench.run { bench in
            try register(bench)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(bench.emulator.warnings.isEmpty)
        }
    }

    @Test func onlyANearWordIsSuggested() {
        #expect(Nearest.word(to: "locale_fr", among: ["locale_de", "locale_en", "sports"]) == "locale_de")
        #expect(Nearest.word(to: "ab", among: ["ba", "abc"]) == nil)
        #expect(Nearest.word(to: "news", among: ["news", "newz"]) == "newz")
        #expect(Nearest.word(to: "cat", among: ["dog", "cart"]) == "cart")
    }
}
