import Testing

@testable import PushModel

/// What would become of recipients, from what they have in common.
@Suite struct ForecastTests {
    private static let tagged = {
        var hub = HubSettings.news
        hub.localization = .tags
        return hub
    }()

    private static let spring = RunContent(
        id: 1, format: "template", texts: ["en": #"{"title":"Hi {{name}}"}"#, "fr": #"{"title":"{{name|ami}}"}"#])

    private static func forecast(
        _ standIns: StandIn..., of hub: HubSettings = .news, saying content: RunContent = spring
    ) -> Forecast {
        Forecast(standIns, of: hub, saying: content)
    }

    @Test func whoIsSentToRefusedAndLeftOutIsCounted() {
        let forecast = Self.forecast(
            StandIn(.planned(.tag("t")), recipients: 985, values: ["name": .init(.ascii, written: 3)]),
            StandIn(.planned(.tag("t")), recipients: 4), StandIn(.refused("its tag is not one"), recipients: 8),
            StandIn(.leftOut("suppressed"), recipients: 2), StandIn(.leftOut("suppressed"), recipients: 1))
        #expect(forecast.sent == 985)
        #expect(forecast.recipients == 1000)
        #expect(forecast.refused.map(\.reason) == ["not_sendable", "not_sendable"])
        #expect(forecast.refused.map(\.recipients) == [8, 4])
        #expect(forecast.refused[1].text?.contains("{{name}}") == true)
        #expect(forecast.leftOut == [.init(reason: "suppressed", recipients: 3)])
    }

    @Test func bodiesThatAreTooLargeAreCountedTogetherWithTheLargestAsExample() {
        let forecast = Self.forecast(
            StandIn(.planned(.tag("t")), locale: "fr", values: ["name": .init(.ascii, written: 66_000)]),
            StandIn(.planned(.tag("t")), locale: "fr", values: ["name": .init(.ascii, written: 70_000)]),
            StandIn(.planned(.tag("t")), locale: "fr", values: ["name": .init(.ascii, written: 60_000)]),
            of: Self.tagged)
        #expect(forecast.sent == 1)
        #expect(forecast.refused.map(\.reason) == ["too_large"])
        #expect(forecast.refused[0].recipients == 2)
        #expect(forecast.refused[0].example == .init(locale: "fr", property: "name", written: 70_000))
        #expect(forecast.refused[0].text?.contains("70,0") == false)
    }

    /// One tag more than a hub takes, once the language is added.
    @Test func aTagIsNarrowedAsInARun() {
        let six = StandIn(
            .planned(.tag("t && t && t && t && t && t")), locale: "en", values: ["name": .init(.ascii, written: 1)])
        var plain = six
        plain.locale = nil
        #expect(Self.forecast(six, of: Self.tagged).refused.count == 1)
        #expect(Self.forecast(plain, of: Self.tagged).sent == 1)
        #expect(Self.forecast(six).sent == 1)
    }

    @Test func whoComesTooLateExpires() {
        let late = StandIn(.planned(.tag("t")), isLate: true, values: ["name": .init(.ascii, written: 1)])
        #expect(Self.forecast(late).refused.map(\.reason) == ["expired"])
    }

    @Test func aBroadcastNeedsItsHub() {
        let content = RunContent(id: 1, format: "template", texts: ["": #"{"title":"Hi"}"#])
        #expect(Self.forecast(StandIn(.planned(.broadcast)), saying: content).refused.count == 1)
        var open = HubSettings.news
        open.allowBroadcast = true
        #expect(Self.forecast(StandIn(.planned(.broadcast)), of: open, saying: content).sent == 1)
    }

    /// What a hub counts is what is written; what a header or Windows counts is what is shown.
    @Test(arguments: [
        ("", StandIn.Value.Kind.blank), ("x", .ascii), (" \\t ", .blank), ("\\u0020", .blank), ("12", .digits),
        ("é", .text), ("\\n", .text), ("\\u00e9", .text), ("é\\n", .text), ("\\ud83d\\ude00", .text), ("😀", .text),
        ("\\u0041\\/b", .ascii), ("a\\\"b", .ascii), ("\\u00e9\\u0041", .text), ("\\u0001", .control),
        ("\\u007f", .text),
        ("\u{FFFE}", .control), ("Ben & Jerry", .ascii), ("a<b", .ascii), ("O'Brien", .ascii), ("<<", .ascii),
        ("<&", .ascii), ("\\t&", .text), ("\\u0026\\u003c", .ascii), ("\\" + "\"", .ascii), ("<'&'é", .text),
        ("a\\r\\n\\tb", .text),
    ])
    func aValueHasTheSizeOfWhatItStandsFor(written: String, kind: StandIn.Value.Kind) throws {
        let shown = JSONText.decode(Array(written.utf8)[...])
        func escapes(_ text: String) -> Int {
            var xml: [UInt8] = []
            XMLText.append(text, isAttribute: true, to: &xml)
            return xml.count - text.utf8.count
        }
        func isCarried(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(XMLText.isCarried) }
        let isCounted = kind != .blank && kind != .control
        let value = StandIn.Value(
            kind, written: written.utf8.count, bytes: shown.utf8.count, escapes: isCounted ? escapes(shown) : 0)
        let made = value.json.dropFirst().dropLast()
        let read = JSONText.decode(Array(made.utf8)[...])
        #expect(made.utf8.count == written.utf8.count)
        #expect(read.utf8.count == shown.utf8.count, "\(made)")
        #expect(!isCounted || escapes(read) == escapes(shown), "\(made)")
        #expect(isCarried(read) == isCarried(shown), "\(made)")
        #expect(
            read.unicodeScalars.allSatisfy(\.properties.isWhitespace)
                == (kind == .blank || read.allSatisfy(\.isWhitespace)))
        #expect(
            read.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }
}
