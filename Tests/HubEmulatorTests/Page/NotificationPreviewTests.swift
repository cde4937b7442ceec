import Testing

@testable import HubEmulator

/// What a phone's screen shows of a payload.
@Suite struct CardTests {
    @Test func appleTextsAreRead() {
        let card = NotificationPreview(
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":{"name":"ping"},"#
                + #""category":"REPLY","interruption-level":"time-sensitive"}}"#)
        #expect(card.title == "T" && card.subtitle == "S" && card.body == "B")
        #expect(card.badge == "3" && card.sound == "ping" && card.category == "REPLY" && card.level == "time-sensitive")
        #expect(!card.isSilent && !card.isEmpty)
        #expect(NotificationPreview(#"{"aps":{"alert":"Hi"}}"#).body == "Hi")
    }

    @Test func whatTheAppLooksUpIsShownAsKeyAndArguments() {
        let apple = NotificationPreview(
            #"{"aps":{"alert":{"title-loc-key":"NEWS","title-loc-args":["Anna",3],"loc-key":"BODY"}}}"#)
        #expect(apple.title == "NEWS (Anna, 3)" && apple.body == "BODY")
        let google = NotificationPreview(
            #"{"message":{"android":{"notification":{"title_loc_key":"NEWS","body_loc_key":"B","body_loc_args":["x"]}}}}"#
        )
        #expect(google.title == "NEWS" && google.body == "B (x)")
    }

    @Test(arguments: [
        (#"{"message":{"notification":{"title":"T","body":"B"}}}"#, "T", "B"),
        (
            #"{"message":{"notification":{"title":"T","body":"B"},"android":{"notification":{"body":"own"}}}}"#, "T",
            "own"
        ),
        (#"{"notification":{"title":"T","body":"B"}}"#, "T", "B"),
        (#"{"data":{"message":"B"}}"#, nil, "B"),
        (#"{"title":"T","description":"B"}"#, "T", "B"),
        (
            #"<toast><visual><binding template="ToastText02"><text id="1">A &amp; B</text><text id="2">C&#33;</text>"#
                + "</binding></visual></toast>", "A & B", "C!"
        ),
        (
            "<wp:Notification xmlns:wp=\"WPNotification\"><wp:Toast><wp:Text1>T</wp:Text1><wp:Text2>B</wp:Text2>"
                + "</wp:Toast></wp:Notification>", "T", "B"
        ),
        ("raw & free", nil, "raw & free"),
    ])
    func everyPlatformsTextsAreRead(payload: String, title: String?, body: String?) {
        let card = NotificationPreview(payload)
        #expect(card.title == title && card.body == body && !card.isSilent && !card.isEmpty)
    }

    @Test func windowsButtonsAndSoundsAreRead() {
        let card = NotificationPreview(
            "<toast><visual><binding><text>T</text></binding></visual><actions>"
                + "<action content=\"Read\" arguments='a=1'/><action arguments='b' content='Later'/></actions>"
                + "<audio src=\"ms-winsoundevent:Notification.Default\"/></toast>")
        #expect(card.actions == ["Read", "Later"] && card.sound == "ms-winsoundevent:Notification.Default")
    }

    @Test(arguments: [
        #"{"aps":{"content-available":1},"id":"7"}"#, #"{"message":{"data":{"id":"7"}}}"#, #"{"aps":{"badge":4}}"#,
        "<badge value=\"3\"/>",
    ])
    func aSilentPushIsSilent(payload: String) {
        #expect(NotificationPreview(payload).isSilent && !NotificationPreview(payload).isEmpty)
    }

    @Test(arguments: [
        #"{"aps":{"alert":""}}"#, #"{"aps":{"alert":{"title":"","body":" "}}}"#,
        #"{"message":{"notification":{"body":""}}}"#,
        "<toast><visual><binding><text></text></binding></visual></toast>",
    ])
    func anEmptyNotificationIsSeen(payload: String) {
        #expect(NotificationPreview(payload).isEmpty && !NotificationPreview(payload).isSilent)
    }

    @Test(arguments: [
        "", "<", "<a", "<a b=", "<a b='", "<text>", "<text>&#xFFFFFFFFF;", "<text>&", "{", "[]", "null",
        #"{"aps":5}"#, #"{"aps":{"alert":[1]}}"#, #"{"message":{"notification":null,"android":3}}"#,
    ])
    func nonsenseIsShownSomehow(payload: String) { _ = CardView(shown(payload), on: phone) }

    private func shown(_ payload: String) -> ReceivedPush { ReceivedPush(number: 1, at: 0, payload: payload) }
    private var phone: DeviceSummary { DeviceSummary(.device("a", hub: "news"), nil, count: 0) }
}

@Suite struct DeviceLanguageTests {
    private func language(_ tags: [String], _ template: String = "{}") -> DeviceLanguage? {
        DeviceLanguage(
            of: Installation("a", pushChannel: .handle("AB"), tags: tags, templates: ["t": template]))
    }

    @Test(arguments: [
        ("lang:fr", "fr", "fr"), ("locale:fr-FR", "fr-FR", "fr-FR"), ("language_zh_Hans", "zh_Hans", "zh-Hans"),
        ("pt-BR", "pt-BR", "pt-BR"), ("lang:Klingonese", "Klingonese", nil),
    ])
    func aTagTellsIt(tag: String, word: String, code: String?) {
        #expect(language(["World", tag])?.word == word)
        #expect(language(["World", tag])?.code == code)
    }

    @Test(arguments: ["fr", "World", "lang:", "langfr", "user-AB", "to-do"])
    func otherTagsDoNot(tag: String) { #expect(language([tag]) == nil) }

    @Test func thePropertiesOfATemplateTellIt() {
        #expect(language([], #"{"aps":{"alert":"$(News_French)"}}"#)?.code == "fr")
        #expect(language([], #"{"aps":{"alert":{"title":"$(title_fr)"}}}"#)?.text == "French · fr")
        #expect(language([], #"{"aps":{"alert":"$(News_Mandarin)"}}"#)?.code == "zh")
        #expect(language([], #"{"aps":{"alert":"$(news_text)"}}"#) == nil)
    }
}

@Suite struct RecencyTests {
    @Test func theLatestComesFirstAndOnce() {
        var recency = RecentOrder<String>()
        for (stamp, key) in ["a", "b", "a", "c"].enumerated() { recency.note(key, stamp) }
        #expect(recency.newest(10).map(\.key) == ["c", "a", "b"])
        #expect(recency.newest(1).map(\.key) == ["c"])
        recency.forget("a")
        #expect(recency.newest(10).map(\.key) == ["c", "b"] && recency.count == 2)
    }

    @Test func aBusyOneTakesNoMoreRoom() {
        var recency = RecentOrder<Int>()
        for stamp in 0..<100_000 { recency.note(stamp % 3, stamp) }
        #expect(recency.newest(10).map(\.key) == [0, 2, 1])
    }
}
