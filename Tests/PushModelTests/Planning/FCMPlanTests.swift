import Testing

@testable import PushModel

/// What becomes of the rows of a hub of kind `fcm`.
@Suite struct FCMPlanTests {
    static let payload = #"{"message": {"notification": {"title": "hi"}}}"#

    static func hub(_ change: (inout HubSettings) -> Void = { _ in }) -> HubSettings {
        var hub = HubSettings(name: "shop", kind: .fcm)
        hub.tagsAreTopics = true
        change(&hub)
        return hub
    }

    static func message(
        _ id: Int64 = 1, to target: Target, content: String = payload, format: String = "fcmv1", locale: String? = nil,
        expiresAt: Double = 2_000_000_000, priority: Priority = .normal
    ) -> Message {
        Message(
            id: id, target: target, locale: locale, content: content, format: format, expiresAt: expiresAt,
            priority: priority)
    }

    @Test(arguments: [
        (Target.tag("Tech"), Target.tag("Tech")),
        (.tag("a||b&&!c"), .tag("a || (b && !c)")),
        (.handles(["token-1"]), .handles(["token-1"])),
        (.handles(["fid:abc"]), .handles(["fid:abc"])),
        (.broadcast, .tag("all")),
    ])
    func aRowGoesToATokenOrToTopics(target: Target, sent: Target) {
        let hub = Self.hub {
            $0.allowBroadcast = true
            $0.broadcastTopic = "all"
        }
        let plan = Plan([Self.message(to: target)], for: hub, now: 0)
        #expect(plan.posts.map(\.target) == [sent])
        #expect(plan.refusals == [])
    }

    @Test func aLocaleNarrowsTopics() {
        let hub = Self.hub {
            $0.localization = .tags
            $0.allowBroadcast = true
            $0.broadcastTopic = "all"
        }
        func target(of target: Target) -> Target? {
            Plan([Self.message(to: target, locale: "fr")], for: hub, now: 0).posts.first?.target
        }
        #expect(target(of: .tag("Tech")) == .tag("(Tech) && locale_fr"))
        #expect(target(of: .broadcast) == .tag("(all) && locale_fr"))
        #expect(target(of: .handles(["token"])) == .handles(["token"]))
    }

    /// The same as the INSERT says.
    @Test(arguments: [
        (
            message(to: .handles(["one", "two"])),
            "handles: there are 2, one request takes exactly one; write a row for each: INSERT INTO push.message (hub, handles, "
                + "format, content) SELECT 'shop', ARRAY[h], 'fcmv1', '{...}' FROM unnest('{...}'::text[]) h"
        ),
        (
            message(to: .tag("Tech"), format: "template"),
            "format \"template\": hub shop is FCM: set format to fcmv1. The default, template, is for kinds of hubs that render "
                + "templates. Write the payload of the service, such as "
                + #"{"message": {"notification": {"title": "Hello"}}}"#
        ),
        (
            message(to: .tag("Tech"), format: "apple"),
            "format \"apple\": hub shop is FCM: set format to fcmv1. Write the payload of the service, such as "
                + #"{"message": {"notification": {"title": "Hello"}}}"#
        ),
        (
            message(to: .tag("Tech"), locale: "fr"),
            "locale \"fr\": hub shop is FCM, which does not know the languages of phones; leave locale out and let the phone "
                + "translate (title_loc_key), or set hubs.shop.localization \"tags\" to send to phones that also have the "
                + "topic locale_fr"
        ),
    ])
    func aRefusalSaysHowToMendIt(message: Message, text: String) {
        #expect(Plan([message], for: Self.hub(), now: 0).refusals.map(\.text) == [text])
    }

    @Test func aPostKnowsWhenItEndsAndHowUrgentItIs() throws {
        let message = Self.message(to: .tag("Tech"), expiresAt: 500, priority: .urgent)
        let post = try #require(Plan([message], for: Self.hub(), now: 100, epoch: 1_000_000).posts.first)
        #expect(post.expiresAt == 1_000_500)
        #expect(post.priority == .urgent)
    }

    @Test func topicsShareAPostOnlyWhenTheyEndTogether() {
        let hub = Self.hub { $0.packTags = true }
        let messages = (1...12).map { id in
            Self.message(Int64(id), to: .tag("t\(id)"), expiresAt: id == 12 ? 900 : 500.25 + Double(id) / 100)
        }
        let posts = Plan(messages, for: hub, now: 0).posts
        #expect(
            posts.map(\.target) == [
                .tag("t1 || t2 || t3 || t4 || t5"), .tag("t6 || t7 || t8 || t9 || t10"), .tag("t11"), .tag("t12"),
            ])
        #expect(posts.map(\.expiresAt) == [500.26, 500.31, 500.36, 900])
        #expect(posts[0].halves()?.0.expiresAt == 500.26)
        #expect(Plan(messages, for: Self.hub(), now: 0).posts.count == 12)
    }

    @Test func topicsThatDifferInCaseShareAPost() {
        let hub = Self.hub { $0.packTags = true }
        let messages = [Self.message(1, to: .tag("Tech")), Self.message(2, to: .tag("tech"))]
        #expect(Plan(messages, for: hub, now: 0).posts.map(\.target) == [.tag("Tech || tech")])
    }

    @Test func tokensNeverShareAPost() {
        let hub = Self.hub { $0.packTags = true }
        let messages = (1...3).map { Self.message(Int64($0), to: .handles(["token-\($0)"])) }
        #expect(Plan(messages, for: hub, now: 0).posts.count == 3)
    }

    @Test func atNotificationHubsALifeKeepsNoMessagesApart() {
        let messages = (1...3).map { id in
            Message(
                id: Int64(id), target: .tag("t\(id)"), content: #"{"a":"b"}"#, expiresAt: Double(100 * id),
                priority: id == 2 ? .urgent : .bulk)
        }
        let posts = Plan(messages, for: HubSettings(name: "news"), now: 0).posts
        #expect(posts.map(\.target) == [.tag("t1 || t2 || t3")])
        #expect(posts.map(\.expiresAt) == [100])
        #expect(posts.map(\.priority) == [.urgent])
    }
}
