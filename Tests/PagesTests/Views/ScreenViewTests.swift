import Pages
import PushModel
import Testing

/// What several programs show is complete by itself.
@Suite struct ScreenViewTests {
    private static let templates = TemplateLibrary([])

    private func card(_ number: Int, _ payload: String, link: String? = nil, form: ButtonFormView? = nil) -> CardView {
        CardView(
            number, NotificationPreview(payload, platform: .apns), payload: payload, app: "news", form: form,
            link: link)
    }

    private func screen(_ cards: [CardView], _ name: String = "fr · iPhone") -> String {
        Self.templates.render(ScreenView(name, platform: .apns, cards: cards), "screen")
    }

    @Test func aPhoneShowsWhatAPayloadSays() {
        let html = screen([card(1, #"{"aps":{"alert":{"title":"Titre <b>","body":"Bonjour"},"badge":2}}"#)])
        for text in [
            #"aria-label="Notifications of fr · iPhone""#, ">Titre &lt;b&gt;</p>", ">Bonjour</p>", "badge 2",
            #"<span class="icon hue-"#, ">N</span>", #"data-number="1""#, "&quot;aps&quot;",
        ] {
            #expect(html.contains(text), "no \(text) in\n\(html)")
        }
    }

    /// A preview has not arrived, has no page of its own and no button that does something.
    @Test func aPreviewHasNoTimeNoLinkAndNoForm() {
        let html = screen([card(1, #"{"aps":{"alert":"Hi"}}"#)])
        #expect(!html.contains("<time") && !html.contains("<a ") && !html.contains("<form") && !html.contains("<input"))
    }

    @Test func aCardLeadsWhereItsPageSays() {
        let form = ButtonFormView(
            address: "/press", fields: [("hub", "a\"b"), ("number", "7")], placeholder: "Answer",
            buttons: [.init(id: "ok", title: "OK", look: "destructive", hint: "opens the app")])
        let html = screen([card(7, #"{"aps":{"alert":"Hi"}}"#, link: "/sends/7?a&b", form: form)])
        for text in [
            #"<a href="/sends/7?a&amp;b" data-detail>"#, #"method="post" action="/press""#,
            #"<input type="hidden" name="hub" value="a&quot;b"><input type="hidden" name="number" value="7">"#,
            #"placeholder="Answer""#,
            #"<button name="button" value="ok" class="destructive" title="opens the app">OK</button>"#,
        ] {
            #expect(html.contains(text), "no \(text) in\n\(html)")
        }
    }

    @Test func aPhoneWithoutNotificationsSaysSo() {
        #expect(screen([]).contains("No notifications"))
        #expect(!screen([card(1, "{}")]).contains("No notifications"))
    }

    @Test(arguments: DevicePlatform.allCases.map(Optional.some) + [nil])
    func everyPlatformHasALookThatTheStyleKnows(platform: DevicePlatform?) {
        let look = ScreenView("a", platform: platform, cards: []).phoneLook
        #expect((SharedStyle.phone + SharedStyle.card).contains(".\(look) "), "\(look)")
        #expect(!ScreenView.kind(of: platform).isEmpty)
    }

    @Test func theNamedOptionIsChosen() {
        let names = ["news", "Travel"]
        #expect(OptionView.all(names, chosen: "TRAVEL").map(\.isChosen) == [false, true])
        for chosen in [nil, "none"] { #expect(OptionView.all(names, chosen: chosen).map(\.isChosen) == [true, false]) }
        #expect(OptionView.all([], chosen: "a").isEmpty)
    }

    @Test func aTimeIsShownInUTC() {
        let time = TimeView(1_767_323_045.9)
        #expect(time.timeStamp == "2026-01-02T03:04:05Z" && time.timeClock == "03:04:05")
    }
}
