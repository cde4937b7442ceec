import Pages
import PushModel
import Testing

@testable import HubEmulator

/// What a device shows of a payload.
@Suite struct NotificationPreviewTests {
    @Test func appleTextsAreRead() {
        let preview = NotificationPreview(
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":{"name":"ping"},"#
                + #""category":"REPLY","interruption-level":"time-sensitive"}}"#)
        #expect(preview.title == "T" && preview.subtitle == "S" && preview.body == "B")
        #expect(
            preview.badge == "3" && preview.sound == "ping" && preview.category == "REPLY"
                && preview.level == "time-sensitive")
        #expect(!preview.isSilent && !preview.isEmpty)
        #expect(NotificationPreview(#"{"aps":{"alert":"Hi"}}"#).body == "Hi")
    }

    @Test func localisationKeysAreShownWithArguments() {
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
    func theTextsOfEveryPlatformAreRead(payload: String, title: String?, body: String?) {
        let preview = NotificationPreview(payload)
        #expect(preview.title == title && preview.body == body && !preview.isSilent && !preview.isEmpty)
    }

    @Test func windowsButtonsAndSoundsAreRead() {
        let preview = NotificationPreview(
            "<toast><visual><binding><text>T</text></binding></visual><actions>"
                + "<action content=\"Read\" arguments='a=1'/><action arguments='b' content='Later'/></actions>"
                + "<audio src=\"ms-winsoundevent:Notification.Default\"/></toast>")
        #expect(preview.actions == ["Read", "Later"] && preview.sound == "ms-winsoundevent:Notification.Default")
    }

    @Test(arguments: [
        #"{"aps":{"content-available":1},"id":"7"}"#, #"{"message":{"data":{"id":"7"}}}"#, #"{"aps":{"badge":4}}"#,
        "<badge value=\"3\"/>",
    ])
    func aSilentPushIsRecognised(payload: String) {
        #expect(NotificationPreview(payload).isSilent && !NotificationPreview(payload).isEmpty)
    }

    @Test(arguments: [
        #"{"aps":{"alert":""}}"#, #"{"aps":{"alert":{"title":"","body":" "}}}"#,
        #"{"message":{"notification":{"body":""}}}"#,
        "<toast><visual><binding><text></text></binding></visual></toast>",
    ])
    func anEmptyNotificationIsRecognised(payload: String) {
        #expect(NotificationPreview(payload).isEmpty && !NotificationPreview(payload).isSilent)
    }

    @Test(arguments: [
        "", "<", "<a", "<a b=", "<a b='", "<text>", "<text>&#xFFFFFFFFF;", "<text>&", "{", "[]", "null",
        #"{"aps":5}"#, #"{"aps":{"alert":[1]}}"#, #"{"message":{"notification":null,"android":3}}"#,
    ])
    func anyPayloadCanBeShown(payload: String) { _ = CardView(push(payload), on: device) }

    private func push(_ payload: String) -> ReceivedPush { ReceivedPush(number: 1, at: 0, payload: payload) }
    private var device: DeviceSummary { DeviceSummary(.device("a", hub: "news"), nil, count: 0) }
}

/// What phones show of one message for FCM.
@Suite struct FCMPreviewTests {
    private static let message =
        #"{"message":{"notification":{"title":"T","body":"B"},"android":{"notification":{"body":"A"}},"#
        + #""apns":{"payload":{"aps":{"alert":{"subtitle":"S","body":"I"},"badge":2}}},"#
        + #""webpush":{"notification":{"title":"W","actions":[{"action":"o","title":"Open"}]}}}}"#

    @Test func everyPlatformShowsItsOwnPart() {
        let android = NotificationPreview(Self.message, platform: .fcmV1)
        #expect(android.title == "T" && android.body == "A")
        let apple = NotificationPreview(Self.message, platform: .apns)
        #expect(apple.title == "T" && apple.subtitle == "S" && apple.body == "I" && apple.badge == "2")
        let web = NotificationPreview(Self.message, platform: .browser)
        #expect(web.title == "W" && web.body == "B" && web.actions == ["Open"])
    }

    @Test func camelCaseIsReadToo() throws {
        let strings = try StringsFile(json: Array(#"{"fr":{"k":"Bonjour %s"}}"#.utf8), file: "f")
        let preview = NotificationPreview(
            #"{"message":{"android":{"notification":{"bodyLocKey":"k","bodyLocArgs":["Anna"]}}}}"#, platform: .fcmV1,
            texts: PhoneTexts(strings: strings, language: "fr"))
        #expect(preview.body == "Bonjour Anna" && preview.lookedUp == [LocalisedText(key: "k", arguments: ["Anna"])])
    }

    @Test(arguments: [Installation.Platform.fcmV1, .apns, .browser])
    func dataAloneIsSilent(platform: Installation.Platform) {
        #expect(NotificationPreview(#"{"message":{"data":{"id":"7"}}}"#, platform: platform).isSilent)
        #expect(NotificationPreview(#"{"message":{"data":{"title":"T"}}}"#, platform: platform).title == "T")
    }
}
