import PushModel
import Store
import Testing

@testable import fanfare

/// What `fanfare campaign check` says of the first recipients.
@Suite struct ForecastScreenTests {
    private static let spring = RunContent(
        id: 1, format: "apple", texts: ["en": #"{"aps":{"alert":"{{body}}"}}"#, "fr": #"{"aps":{"alert":"x"}}"#])

    private static func screen(_ standIns: [StandIn]) -> [String] {
        Forecast(standIns, of: HubSettings(name: "news"), saying: spring).findings(ofFirst: 1000).map(\.text)
    }

    @Test func whoIsRefusedOrLeftOutIsSaidWithAnExample() {
        let screen = Self.screen([
            StandIn(.planned(.tag("t")), recipients: 985, locale: "fr"),
            StandIn(
                .planned(.tag("t")), recipients: 12, locale: "en", values: ["body": .init(.text, written: 5012)]),
            StandIn(.leftOut("suppressed"), recipients: 3),
        ])
        #expect(
            screen == [
                "hub news: of the first 1,000 recipients: 985 would be sent, 12 refused, 3 left out",
                """
                warning: hub news: 12 of them refused: too_large: content has 5032 bytes, a payload for apple takes at most 4096. Send less, or a key under which the app fetches the rest.
                  Such as: en, a value of {{body}} with 5,012 bytes.
                """, "hub news: 3 of them left out: suppressed",
            ])
    }

    @Test func anAudienceThatIsReadWholeIsNoPartOfOne() {
        #expect(
            Self.screen([StandIn(.planned(.tag("t")), recipients: 1, locale: "fr")]) == [
                "hub news: of 1 recipient: 1 would be sent"
            ])
        #expect(Self.screen([]) == [])
    }
}
