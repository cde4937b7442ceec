import Testing

@testable import PushModel

/// Hubs that localise by tag: one post per tag and locale.
@Suite struct PlanByTagTests {
    static let hub = {
        var hub = HubSettings(name: "news")
        hub.localization = .tags
        hub.allowBroadcast = true
        return hub
    }()

    @Test func everyLocaleHasItsOwnPost() {
        let plan = Plan(
            [.of(1, locale: "fr"), .of(2, lead: 1, locale: "zh-hant"), .of(3, lead: 1)], for: Self.hub, now: 0)
        #expect(plan.refusals.isEmpty)
        #expect(plan.posts.map(\.messages) == [[1], [2], [3]])
        #expect(
            plan.posts.map(\.target) == [
                .tag("(World) && locale_fr"), .tag("(World) && locale_zh-Hant"), .tag("World"),
            ])
        #expect(plan.posts.map(\.body) == Array(repeating: Array(#"{"t":"x"}"#.utf8), count: 3))
    }

    @Test func anExpressionIsNarrowedAsAWhole() {
        let plan = Plan([.of(1, tag: "a||b", locale: "fr")], for: Self.hub, now: 0)
        #expect(plan.posts.map(\.target) == [.tag("(a || b) && locale_fr")])
    }

    @Test func theLimitsCountTheLocaleToo() {
        let five = "a||b||c||d||e"
        let plan = Plan(
            [.of(1, tag: five, locale: "fr"), .of(2, tag: five + "||f", locale: "fr"), .of(3, tag: five + "||f")],
            for: Self.hub, now: 0)
        #expect(plan.posts.map(\.messages) == [[1], [3]])
        #expect(
            plan.refusals.map(\.text) == [
                "tag \"a || b || c || d || e || f\": with locale_fr for its locale, it has 7 tags, "
                    + "at most 6 are allowed when && or ! is used"
            ])
    }

    @Test func aBroadcastInOneLanguageGoesToThatLanguage() {
        let message = Message(id: 1, target: .broadcast, locale: "fr", content: "{}", expiresAt: .infinity)
        #expect(Plan([message], for: Self.hub, now: 0).posts.map(\.target) == [.tag("locale_fr")])
        var hub = Self.hub
        hub.allowBroadcast = false
        #expect(Plan([message], for: hub, now: 0).refusals.map(\.reason) == [.notSendable])
    }

    @Test func aNativePayloadCanBeForOneLanguage() {
        let plan = Plan([.of(1, locale: "fr", content: #"{"aps":{}}"#, format: "apple")], for: Self.hub, now: 0)
        #expect(plan.posts.map(\.target) == [.tag("(World) && locale_fr")])
    }

    /// Phones register the languages of the hub, and `locale_fr-CA` is none of them.
    @Test func theTagIsThatOfTheNearestLanguage() {
        var hub = Self.hub
        hub.languages = ["en": "en", "fr": "fr"]
        let plan = Plan(
            [.of(1, locale: "fr-CA-u-fw-mon"), .of(2, locale: "FR"), .of(3, locale: "de-DE-x-formal")], for: hub, now: 0
        )
        #expect(
            plan.posts.map(\.target) == [
                .tag("(World) && locale_fr"), .tag("(World) && locale_fr"), .tag("(World) && locale_de-DE"),
            ])
    }

    /// Its handle says whom a message is for.
    @Test func aHandleIsNotNarrowedToALanguage() {
        let message = Message(
            id: 1, target: .handles(["00fc13ad"]), locale: "fr", content: #"{"aps":{}}"#, format: "apple",
            expiresAt: .infinity)
        #expect(Plan([message], for: Self.hub, now: 0).posts.map(\.target) == [.handles(["00fc13ad"])])
    }
}
