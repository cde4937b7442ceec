import Foundation
import Testing

@testable import PushModel

/// Rules of every plan, for both kinds of localisation.
@Suite struct PlanTests {
    @Test func aMessageWithNothingToLocaliseIsSentByteForByte() {
        let content = #"{ "title" : "caf\u00e9", "body":"\/" }"#
        let plan = Plan([.of(7, content: content)], for: .news, now: 0)
        #expect(plan.posts == [Post(messages: [7], target: .tag("World"), body: Array(content.utf8))])
        #expect(plan.refusals.isEmpty)
    }

    @Test func postsComeInTheOrderOfTheMessages() {
        let plan = Plan(
            [
                .of(1), .of(5, lead: 4, locale: "en"), .of(2), .of(3, tag: "a b"), .of(4, locale: "fr"), .of(6),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1], [5, 4], [2], [6]])
        #expect(plan.refusals.map(\.message) == [3])
    }

    @Test func anExpiredMessageIsNotSent() {
        let plan = Plan([.of(1, expiresAt: 99), .of(2, expiresAt: 100), .of(3, expiresAt: 101)], for: .news, now: 100)
        #expect(plan.posts.map(\.messages) == [[3]])
        #expect(plan.refusals.map(\.message) == [1, 2])
        #expect(plan.refusals.allSatisfy { $0.status == .expired && $0.reason == .expired })
    }

    @Test func anExpiredTranslationIsNotSentAndTheOthersAre() {
        let plan = Plan(
            [.of(1, locale: "fr", expiresAt: 50), .of(2, lead: 1, locale: "en")], for: .news, now: 50)
        #expect(plan.posts.map(\.messages) == [[2]])
        #expect(plan.refusals.map(\.reason) == [.expired])
    }

    @Test func aTagExpressionIsSentWithEveryParenthesis() {
        let plan = Plan([.of(1, tag: "a||b && c"), .of(2, tag: "$UserId:{x}")], for: .news, now: 0)
        #expect(plan.posts.map(\.target) == [.tag("a || (b && c)"), .tag("$UserId:{x}")])
    }

    /// A table of devices may hold a token twice; the hub would notify that phone twice.
    @Test func aHandleThatAMessageNamesTwiceIsSentOnce() {
        let message = Message(
            id: 1, target: .handles(["abc", "def", "abc"]), content: #"{"message": {"data": {"a": "b"}}}"#,
            format: "fcmv1", expiresAt: .infinity)
        let plan = Plan([message], for: .news, now: 0)
        #expect(plan.posts.map(\.target) == [.handles(["abc", "def"])])
    }

    @Test func aBroadcastNeedsTheHubsPermission() {
        var hub = HubSettings.news
        let message = Message(id: 1, target: .broadcast, content: "{}", expiresAt: .infinity)
        #expect(
            Plan([message], for: hub, now: 0).refusals.map(\.text) == [
                "broadcast: hub news does not allow it; set hubs.news.allowBroadcast"
            ])
        hub.allowBroadcast = true
        #expect(Plan([message], for: hub, now: 0).posts.map(\.target) == [.broadcast])
    }

    @Test(arguments: ["", " ", "\n"])
    func aMessageWithoutATagReachesNoDevice(tag: String) {
        var hub = HubSettings.news
        hub.allowBroadcast = true
        let plan = Plan([.of(1, tag: tag)], for: hub, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.map(\.reason) == [.notSendable])
    }

    @Test(
        arguments: [
            (
                Message.of(1, tag: "Wörld"),
                "tag \"Wörld\": character 2: \"ö\" is not allowed; a tag has ASCII letters, digits and _ @ # . : -"
            ),
            (
                .of(1, content: #"{"badge":3}"#),
                "content: key \"badge\", character 10: the value is a number, only strings are allowed; "
                    + "put it in quotation marks"
            ),
            (
                .of(1, locale: "fr_CA"),
                "locale \"fr_CA\": \"_\" is not allowed; the parts of a BCP 47 name are joined by \"-\", as in fr-CA"
            ),
            (
                .of(1, format: "gcm"),
                "format \"gcm\": it must be one of adm, apple, baidu, browser, fcmv1, template, windows, xiaomi"
            ),
            (.of(1, headers: "[]"), "headers is a JSON array, not an object. Write {\"apns-priority\": \"5\"}."),
            (
                .of(1, headers: #"{"apns-id":"a\r\nServiceBusNotification-Tags: x"}"#),
                "headers: apns-id is blank, longer than 1,024 or holds a character outside printable ASCII. "
                    + "Write 1 to 1,024 visible ASCII characters and blanks."
            ),
            (
                .of(1, headers: #"{"apns-id":" "}"#),
                "headers: apns-id is blank, longer than 1,024 or holds a character outside printable ASCII. "
                    + "Write 1 to 1,024 visible ASCII characters and blanks."
            ),
            (
                .of(1, content: "[1]", format: "apple"),
                "content is a JSON array; a payload for apple is an object. Write {...}."
            ),
            (
                .of(1, locale: "fr", format: "apple"),
                "locale \"fr\": a content of format apple is finished and cannot be localised by property; "
                    + "set hubs.news.localization \"tags\" or leave locale null"
            ),
        ] as [(Message, String)])
    func aRefusalNamesTheColumnTheValueAndTheRule(message: Message, text: String) {
        let plan = Plan([message], for: .news, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals == [Refusal(message: 1, status: .rejected, reason: .notSendable, text: text)])
    }

    @Test func aLongValueIsShortened() {
        let text = Plan([.of(1, tag: String(repeating: "a,", count: 500))], for: .news, now: 0).refusals[0].text
        #expect(text.utf8.count < 150)
        #expect(text.hasPrefix("tag \"a,a,"))
    }

    @Test func headersKeepTheirOrder() {
        let headers = #"{"X-WNS-Type":"wns/raw","apns-priority":"5","ServiceBusNotification-Apns-Expiry":"2030-01-01"}"#
        let plan = Plan([.of(1, headers: headers)], for: .news, now: 0)
        #expect(
            plan.posts.map(\.headers) == [
                [
                    .init(name: "X-WNS-Type", value: "wns/raw"), .init(name: "apns-priority", value: "5"),
                    .init(name: "ServiceBusNotification-Apns-Expiry", value: "2030-01-01"),
                ]
            ])
    }

    @Test(arguments: [
        "ServiceBusNotification-Tags", "servicebusnotification-format", "Authorization", "Content-Type", "Host",
        "TrackingId", "apns-x:y", "apns- id", "",
    ])
    func aRowCannotSetAHeaderOfTheProvider(name: String) {
        let plan = Plan([.of(1, headers: "{\"\(name)\":\"x\"}")], for: .news, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.map(\.reason) == [.notSendable])
    }

    @Test func aBodyOverTheLimitIsRefusedWithItsSize() {
        func content(_ bytes: Int) -> String { #"{"m":""# + String(repeating: "x", count: bytes - 8) + #""}"# }
        let plan = Plan([.of(1, content: content(65_536)), .of(2, content: content(65_537))], for: .news, now: 0)
        #expect(plan.posts.map(\.body.count) == [65_536])
        #expect(
            plan.refusals == [
                Refusal(
                    message: 2, status: .rejected, reason: .tooLarge,
                    text: "content: it has 65537 bytes, a request takes at most 65536")
            ])
    }

    @Test func aNativePayloadIsSentUnchanged() {
        let payload = #"{"aps": {"alert" : "x", "badge":0}, "mine":[1]}"#
        let plan = Plan([.of(1, content: payload, format: "apple")], for: .news, now: 0)
        #expect(plan.posts.map { String(decoding: $0.body, as: UTF8.self) } == [payload])
        #expect(plan.posts.map(\.format) == ["apple"])
    }

    @Test func xmlForWindowsIsTakenOutOfItsJSONString() {
        let plan = Plan([.of(1, content: #" "<toast a=\"1\"/>" "#, format: "windows")], for: .news, now: 0)
        #expect(plan.posts.map { String(decoding: $0.body, as: UTF8.self) } == [#"<toast a="1"/>"#])
        #expect(plan.posts.map(\.headers) == [[.init(name: "X-WNS-Type", value: "wns/toast")]])
    }

    @Test func everyMessageIsInExactlyOnePostOrRefusal() {
        var random = SeededRandom(seed: 77)
        let locales = [nil, nil, "en", "fr", "fr-CA", "zh-Hans", "xx", "bad_one"]
        for round in 0..<300 {
            var hub = HubSettings.news
            hub.localization = round % 3 == 0 ? .tags : .properties
            hub.fallback = round % 2 == 0 ? "en" : nil
            hub.plainFallback = round % 5 != 0
            hub.packTags = round % 7 != 0
            let messages = (1...Int64.random(in: 1...12, using: &random)).map { id in
                Message.of(
                    id, lead: Int64.random(in: 1...id, using: &random),
                    tag: ["a", "a", "a||b", "a,"].randomElement(using: &random)!,
                    locale: locales.randomElement(using: &random)!,
                    content: ["{}", #"{"t":"x"}"#, #"{"T":"y","u":"z"}"#, "[]"].randomElement(using: &random)!,
                    format: ["template", "template", "apple", "xiaomi"].randomElement(using: &random)!,
                    expiresAt: Double.random(in: 0...30, using: &random), pack: Bool.random(using: &random))
            }
            let plan = Plan(messages, for: hub, now: 3)
            let settled = plan.posts.flatMap(\.messages) + plan.refusals.map(\.message)
            #expect(settled.sorted() == messages.map(\.id))
            for post in plan.posts {
                #expect(post.parts.flatMap(\.messages) == post.messages)
                #expect((try? JSONSerialization.jsonObject(with: Data(post.body))) != nil)
            }
        }
    }
}
