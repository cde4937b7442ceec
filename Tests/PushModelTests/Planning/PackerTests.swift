import Testing

@testable import PushModel

/// Equal contents share a post (docs/storage.md, "Plan").
@Suite struct PackerTests {
    private func plan(_ messages: [Message], _ hub: HubSettings = .news) -> Plan { Plan(messages, for: hub, now: 0) }

    @Test func contentsWithTheSameBodyBecomeOnePostToAllTheirTags() {
        let plan = plan([.of(1, tag: "a"), .of(2, tag: "b"), .of(3, tag: "c")])
        #expect(plan.refusals.isEmpty)
        #expect(plan.posts.map(\.target) == [.tag("a || b || c")])
        #expect(plan.posts.map(\.messages) == [[1, 2, 3]])
        #expect(plan.posts[0].parts.map(\.target) == [.tag("a"), .tag("b"), .tag("c")])
    }

    @Test func aPackedTargetIsAValidExpression() throws {
        let plan = plan((1...20).map { .of($0, tag: String(repeating: "t", count: 117) + "\(100 + $0)") })
        guard case .tag(let text)? = plan.posts.first?.target else { return #expect(Bool(false), "no tag") }
        let expression = try TagExpression(text)
        #expect(expression.onlyOr && expression.tagCount == 20 && expression.description == text)
    }

    @Test func atMostTwentyTagsShareAPost() {
        let plan = plan((1...45).map { .of($0, tag: "t\($0)") })
        #expect(plan.posts.map(\.parts.count) == [20, 20, 5])
        #expect(plan.posts.flatMap(\.messages) == Array(1...45))
    }

    @Test func twoMessagesForOneTagAreTwoPushes() {
        let plan = plan([.of(1, tag: "a"), .of(2, tag: "A"), .of(3, tag: "b"), .of(4, tag: "a"), .of(5, tag: "b")])
        #expect(plan.posts.map(\.messages) == [[1, 3], [2, 5], [4]])
        #expect(plan.posts.map(\.target) == [.tag("a || b"), .tag("A || b"), .tag("a")])
    }

    @Test func aPostTakesThePositionOfItsFirstMessage() {
        let other = #"{"t":"y"}"#
        let plan = plan([
            .of(1, tag: "a"), .of(2, tag: "a", content: other), .of(3, tag: "a || b"), .of(4, tag: "b", content: other),
            .of(5, tag: "b"),
        ])
        #expect(plan.posts.map(\.messages) == [[1, 5], [2, 4], [3]])
    }

    @Test(arguments: [
        Message.of(2, tag: "b", content: #"{"t": "x"}"#),
        .of(2, tag: "b", headers: #"{"apns-priority":"5"}"#),
        .of(2, tag: "b", format: "xiaomi"),
        .of(2, tag: "b", attempt: 1),
        .of(2, tag: "b", onDoubt: .resend),
        .of(2, tag: "b", pack: false),
        .of(2, tag: "b && c"),
        .of(2, tag: "b || c"),
        .of(2, tag: "$UserId:{b}"),
        .of(2, handles: ["b"], content: #"{"t":"x"}"#, format: "xiaomi"),
        Message(id: 2, target: .broadcast, content: #"{"t":"x"}"#, expiresAt: .infinity),
    ])
    func postsThatDifferAreNotPacked(other: Message) {
        var hub = HubSettings.news
        hub.allowBroadcast = true
        #expect(plan([.of(1, tag: "a"), other], hub).posts.map(\.messages) == [[1], [2]])
        #expect(plan([other, .of(1, tag: "a")], hub).posts.map(\.messages) == [[2], [1]])
    }

    @Test func aRowWithoutOnDoubtUsesTheHubsSetting() {
        #expect(plan([.of(1, tag: "a", onDoubt: .hold), .of(2, tag: "b")]).posts.map(\.messages) == [[1, 2]])
        var hub = HubSettings.news
        hub.onDoubt = .resend
        #expect(plan([.of(1, tag: "a", onDoubt: .hold), .of(2, tag: "b")], hub).posts.count == 2)
        #expect(plan([.of(1, tag: "a", onDoubt: .resend), .of(2, tag: "b")], hub).posts.count == 1)
    }

    @Test func messagesThatFailedEquallyOftenStillShareAPost() {
        let plan = plan([.of(1, tag: "a", attempt: 2), .of(2, tag: "b"), .of(3, tag: "c", attempt: 2)])
        #expect(plan.posts.map(\.messages) == [[1, 3], [2]])
    }

    @Test func aHubCanSwitchPackingOff() {
        var hub = HubSettings.news
        hub.packTags = false
        #expect(plan([.of(1, tag: "a"), .of(2, tag: "b")], hub).posts.map(\.messages) == [[1], [2]])
        #expect(plan([.of(1, handles: ["a"]), .of(2, handles: ["b"])], hub).posts.map(\.messages) == [[1], [2]])
    }

    @Test func expiredAndBadMessagesAreInNoPost() {
        let plan = Plan(
            [.of(1, tag: "a", expiresAt: 5), .of(2, tag: "b"), .of(3, tag: "c,"), .of(4, tag: "d")], for: .news, now: 9)
        #expect(plan.posts.map(\.target) == [.tag("b || d")])
        #expect(plan.refusals.map(\.message) == [1, 3])
    }

    // MARK: - Translations

    @Test func contentsEqualInEveryLanguageShareAPost() {
        let plan = plan([
            .of(1, tag: "a", locale: "en"), .of(2, lead: 1, tag: "a", locale: "fr"), .of(3, tag: "b", locale: "en"),
            .of(4, lead: 3, tag: "b", locale: "fr"), .of(5, tag: "c", locale: "en", content: #"{"t":"other"}"#),
        ])
        #expect(plan.posts.map(\.target) == [.tag("a || b"), .tag("c")])
        #expect(plan.posts.map(\.messages) == [[1, 2, 3, 4], [5]])
        #expect(plan.posts[0].parts.map(\.messages) == [[1, 2], [3, 4]])
        #expect(plan.posts[0].json["t_French"] == "x")
    }

    @Test func oneTranslationWithoutPackKeepsItsContentAlone() {
        let plan = plan([
            .of(1, tag: "a", locale: "en"), .of(2, lead: 1, tag: "a", locale: "fr", pack: false),
            .of(3, tag: "b", locale: "en"), .of(4, lead: 3, tag: "b", locale: "fr"),
        ])
        #expect(plan.posts.map(\.messages) == [[1, 2], [3, 4]])
    }

    /// A refused row is in no post.
    @Test(arguments: [
        Message.of(2, lead: 1, tag: "other", locale: "fr"), .of(2, lead: 1, tag: "a", locale: "xx", pack: false),
        .of(2, lead: 1, tag: "a", locale: "xx", attempt: 3), .of(2, lead: 1, tag: "a", locale: "xx", onDoubt: .resend),
        .of(2, lead: 1, tag: "a", locale: "xx", expiresAt: 5),
    ])
    func aRefusedTranslationKeepsItsContentFromNothing(refused: Message) {
        let plan = plan([.of(1, tag: "a", locale: "en"), refused, .of(3, tag: "b", locale: "en")])
        #expect(plan.posts.map(\.messages) == [[1, 3]])
        #expect(plan.posts[0].expiresAt == nil)
        #expect(plan.refusals.map(\.message) == [2])
    }

    @Test func aHubLocalisedByTagPacksOnlyRowsWithoutLocale() {
        var hub = HubSettings(name: "news")
        hub.localization = .tags
        hub.allowBroadcast = true
        let plan = plan(
            [
                .of(1, tag: "a", locale: "fr"), .of(2, tag: "b", locale: "fr"), .of(3, tag: "a"), .of(4, tag: "b"),
                Message(id: 5, target: .broadcast, locale: "fr", content: #"{"t":"x"}"#, expiresAt: .infinity),
            ], hub)
        #expect(plan.posts.map(\.messages) == [[1], [2], [3, 4], [5]])
        #expect(plan.posts[3].target == .tag("locale_fr"))
    }

    // MARK: - Handles

    @Test func handlesOfEqualMessagesAreJoined() {
        let plan = plan([
            .of(1, handles: ["a", "b"]), .of(2, handles: ["c"]), .of(3, handles: ["d"], content: #"{"aps":{}}"#),
        ])
        #expect(plan.posts.map(\.target) == [.handles(["a", "b", "c"]), .handles(["d"])])
        #expect(plan.posts[0].parts.map(\.messages) == [[1], [2]])
    }

    @Test func aRowThatNamesAHandleTwiceSharesAPostAllTheSame() {
        let plan = plan([.of(1, handles: ["a", "b", "a"]), .of(2, handles: ["c"])])
        #expect(plan.posts.map(\.target) == [.handles(["a", "b", "c"])])
    }

    @Test func atMostAThousandHandlesShareAPost() {
        func many(_ id: Int64, _ count: Int) -> Message { .of(id, handles: (0..<count).map { "\(id)-\($0)" }) }
        let plan = plan([many(1, 600), many(2, 400), many(3, 1), many(4, 1000), many(5, 2)])
        #expect(plan.posts.map(\.messages) == [[1, 2], [3], [4], [5]])
    }

    @Test func twoMessagesForOneDeviceAreTwoPushes() {
        let plan = plan([.of(1, handles: ["a", "b"]), .of(2, handles: ["b", "c"]), .of(3, handles: ["d"])])
        #expect(plan.posts.map(\.messages) == [[1, 3], [2]])
    }

    /// The tier of the hub has no batches.
    @Test func withoutBatchesEachMessageToHandlesIsAPostAndTagsArePackedAllTheSame() {
        let plan = Plan(
            [
                .of(1, handles: ["a"]), .of(2, handles: ["b"]), .of(3, handles: ["c", "d"]), .of(4, tag: "x"),
                .of(5, tag: "y"),
            ], for: .news, now: 0, packsHandles: false)
        #expect(plan.posts.map(\.messages) == [[1], [2], [3], [4, 5]])
    }

    @Test func handlesRefuseTemplatesAndSeveralBrowsers() {
        let browser = #"{"Auth":"a","P256DH":"p"}"#
        let plan = plan([
            .of(1, handles: ["a"], content: "{}", format: "template"),
            .of(2, handles: ["a", "b"], content: "{}", format: "browser", headers: browser),
            .of(3, handles: ["a"], content: "{}", format: "browser", headers: #"{"Auth":"a"}"#),
            .of(4, handles: []), .of(5, handles: ["a", "b c"]), .of(6, handles: [String(repeating: "h", count: 4097)]),
        ])
        #expect(plan.posts.isEmpty)
        #expect(
            plan.refusals.map(\.text) == [
                "handles: a template is rendered for registered devices only; handles take a native format",
                "handles: there are 2; a browser needs a request of its own, because Auth and P256DH belong to "
                    + "one browser",
                "headers: Auth and P256DH are needed to send to a browser by its handle",
                "handles: there are 0, one request takes 1 to 1000",
                "handles: number 2 is not a handle: 1 to 4096 visible ASCII characters, no spaces",
                "handles: number 1 is not a handle: 1 to 4096 visible ASCII characters, no spaces",
            ])
    }

    // MARK: - Properties of every packing

    @Test func everyMessageIsInOnePostHoweverPacked() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            let messages = (1...Int64.random(in: 1...60, using: &random)).map { id in
                Message.of(
                    id, tag: "t\(Int.random(in: 0...25, using: &random))",
                    content: #"{"t":"\#(Int.random(in: 0...2, using: &random))"}"#,
                    attempt: Int16.random(in: 0...1, using: &random), pack: Int.random(in: 0...4, using: &random) > 0)
            }
            let plan = plan(messages)
            #expect(plan.posts.flatMap(\.messages).sorted() == messages.map(\.id))
            for post in plan.posts {
                let tags = post.parts.compactMap { part in if case .tag(let tag) = part.target { tag } else { nil } }
                #expect(tags.count <= 20 && Set(tags).count == tags.count)
                for part in post.parts {
                    let message = messages[Int(part.messages[0]) - 1]
                    #expect(message.target == part.target && Array(message.content.utf8) == post.body)
                }
            }
            // Packable messages need as many posts as the busiest tag has messages, plus the full posts.
            let packable = messages.filter { $0.pack && $0.attempt == 0 && $0.content.contains("0") }
            let busiest = Dictionary(grouping: packable, by: \.target).values.map(\.count).max() ?? 0
            let posts = plan.posts.filter { post in packable.contains { $0.id == post.messages[0] } }
            #expect(posts.count <= busiest + packable.count / 20)
        }
    }

    @Test func namesTooLongForATemplateAreRefused() {
        let name = String(repeating: "é", count: 120)
        #expect(plan([.of(1, content: "{\"\(name)\":\"x\"}")]).posts.count == 1)
        #expect(
            plan([.of(1, content: "{\"a\":\"\",\"\(name)x\":\"secret\"}")]).refusals.map(\.text) == [
                "content: key \"" + String(repeating: "é", count: 40)
                    + "...\", character 9: the name has 121 characters, at most 120 are allowed"
            ])
        let long = String(repeating: "n", count: 112)
        #expect(
            plan([.of(1, locale: "en", content: "{\"\(long)\":\"x\"}")]).refusals.map(\.text) == [
                "content: the name of the property \"" + String(repeating: "n", count: 40)
                    + "...\" has 121 characters once Mandarin is added to it, at most 120 are allowed"
            ])
        #expect(plan([.of(1, locale: "en", content: "{\"\(long.dropLast())\":\"x\"}")]).posts.count == 1)
    }
}
