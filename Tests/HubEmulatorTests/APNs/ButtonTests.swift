import Foundation
import Testing

@testable import HubEmulator

/// Buttons below notifications: shown by category, and pressed.
@Suite struct ButtonTests {
    private static let invitation = #"{"aps":{"alert":"You’re invited!","category":"INVITE_CATEGORY"}}"#
    private static let reply =
        #"{"CHAT": [{"id": "reply", "title": "Reply", "textInput": {"placeholder": "Your answer"}}], "INVITE_CATEGORY": []}"#

    private func withCategories(
        _ json: String = CategoriesFileTests.invitation, _ body: (APNsFixture) async throws -> Void
    ) async throws {
        let categories = try CategoriesFileTests.read(json)
        try await APNsFixture.run({ $0.categories = categories }) { fixture in
            try fixture.phone("alice", "ab01")
            try await body(fixture)
        }
    }

    private func send(_ fixture: APNsFixture, _ body: String = ButtonTests.invitation) throws {
        try fixture.expect("200 -") {
            $0.path = "/3/device/ab01"
            $0.body = body
        }
    }

    @Test func aPhoneShowsTheButtonsOfItsCategory() async throws {
        try await withCategories { fixture in
            try send(fixture)
            let push = try #require(try fixture.emulator.inbox(of: "alice", at: "ios").first)
            #expect(push.buttons?.map(\.title) == ["Accept", "Decline"])
            #expect(fixture.emulator.warnings.isEmpty)
            let page = try await fixture.hub.exchange(fixture.hub.request("GET", "/", token: "", headers: [:])).body
            #expect(
                page.contains(#"<button name="button" value="accept" class="" title="opens the app">Accept</button>"#))
            #expect(page.contains(#"value="decline" class="destructive""#))
        }
    }

    @Test func anUnknownCategoryIsWarnedOf() async throws {
        try await withCategories { fixture in
            try send(fixture, #"{"aps":{"alert":"A","category":"INVITE_CATEGROY"}}"#)
            #expect(try fixture.emulator.inbox(of: "alice", at: "ios").first?.buttons == nil)
            let warning = try #require(fixture.emulator.warnings.first)
            #expect(warning.kind == .unknownCategory && warning.text.contains("did you mean INVITE_CATEGORY?"))
        }
        try await APNsFixture.run { fixture in
            try send(fixture)
            #expect(fixture.emulator.warnings.first?.text.contains("--categories FILE") == true)
        }
    }

    /// The file serves the phones of notification hubs, too, and those of FCM.
    @Test func phonesOfHubsHaveButtons() async throws {
        let categories = try CategoriesFileTests.read(CategoriesFileTests.invitation)
        try await EmulatorFixture.run({ $0.categories = categories }) { fixture in
            try fixture.emulator.register(Installation("iphone", pushChannel: .handle("AB")), at: "news")
            try fixture.emulator.register(
                Installation("pixel", platform: .fcmV1, pushChannel: .handle("token")), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: nil, Self.invitation, format: "apple")).status == 201)
            let direct = fixture.request(
                "POST", "/news/messages?api-version=2020-06&direct",
                headers: [
                    "ServiceBusNotification-Format": "apple", "ServiceBusNotification-DeviceHandle": "AB",
                    "Content-Type": "application/json",
                ], body: Self.invitation)
            #expect(try await fixture.exchange(direct).status == 201)
            let titles = try fixture.emulator.inbox(of: "iphone", at: "news").map { $0.buttons?.map(\.title) }
            #expect(titles == [["Accept", "Decline"], ["Accept", "Decline"]])
        }
        try await FCMFixture.run({ $0.categories = categories }) { fixture in
            try fixture.phone("iphone", .apns, topics: ["Tech"])
            try fixture.phone("pixel", topics: ["Tech"])
            let message = #"{"topic":"Tech","apns":{"payload":\#(Self.invitation)}}"#
            #expect(try await fixture.send(message).status == 200)
            #expect(try fixture.emulator.inbox(of: "iphone", at: "shop").first?.buttons?.count == 2)
            #expect(try fixture.emulator.inbox(of: "pixel", at: "shop").first?.buttons == nil)
        }
    }

    @Test func aPressIsWhatTheAppGets() async throws {
        try await withCategories { fixture in
            try send(fixture)
            let press = try fixture.emulator.press("accept", on: "alice", at: "ios")
            #expect(press.action == "accept" && press.category == "INVITE_CATEGORY" && press.opensApp)
            #expect(press.device == "alice" && press.handle == "ab01" && press.text == nil && press.press == 1)
            #expect(press.push.payload == Self.invitation && press.push.number == 1)
            #expect(try fixture.emulator.press("decline", on: "alice", at: "ios", number: 1).opensApp == false)
            #expect(fixture.emulator.presses.map(\.action) == ["accept", "decline"])
            for (action, number) in [("maybe", nil), ("maybe", 1), ("accept", 2)] as [(String, Int?)] {
                #expect(throws: EmulatorError.self) {
                    try fixture.emulator.press(action, on: "alice", at: "ios", number: number)
                }
            }
            fixture.emulator.clearJournal()
            #expect(fixture.emulator.presses.isEmpty)
        }
    }

    @Test func aTextIsSent() async throws {
        try await withCategories(Self.reply) { fixture in
            try send(fixture, #"{"aps":{"alert":"Hi","category":"CHAT"}}"#)
            #expect(throws: EmulatorError.self) { try fixture.emulator.press("reply", on: "alice", at: "ios") }
            #expect(try fixture.emulator.press("reply", on: "alice", at: "ios", text: "Hello").text == "Hello")
            let page = try await fixture.hub.exchange(fixture.hub.request("GET", "/", token: "", headers: [:])).body
            #expect(page.contains(#"placeholder="Your answer""#) && page.contains("Pressed: <b>Reply: Hello</b>"))
        }
    }

    /// The page's form, and what a test reads of it.
    @Test func aPressOnThePageIsAnEvent() async throws {
        try await withCategories { fixture in
            try send(fixture)
            let client = try fixture.hub.client()
            try await client.write(fixture.hub.request("GET", "/_emulator/events?hub=ios", token: "", headers: [:]))
            func post(_ path: String, _ body: String) async throws -> Client.Reply {
                try await fixture.hub.exchange(
                    fixture.hub.request(
                        "POST", "/_emulator/\(path)", token: "",
                        headers: ["Content-Type": "application/x-www-form-urlencoded"], body: body))
            }
            var received = ""
            func wait(for text: String) async throws {
                while !received.contains(text) { received += String(decoding: try await client.some(), as: UTF8.self) }
            }
            try await wait(for: "event: hello")
            #expect(try await post("page/press", "hub=ios&device=alice&number=1&button=accept").status == 303)
            try await wait(for: #""action":"accept""#)
            #expect(received.contains("event: press\n"))
            let made = try await post("presses", #"{"hub":"ios","handle":"ab01","action":"decline"}"#)
            #expect(made.status == 201 && made.body.contains(#""press":2"#))
            try await wait(for: #""action":"decline""#)
            for (path, body) in [
                ("page/press", "hub=ios&device=alice&number=1&button=maybe"), ("page/press", "hub=ios&button=accept"),
                ("presses", #"{"hub":"ios","action":"accept"}"#), ("presses", "{}"),
                ("presses", #"{"hub":"nowhere","device":"alice","action":"accept"}"#),
            ] {
                #expect(try await post(path, body).status == 400, "\(path) \(body)")
            }
            let list = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/presses?hub=ios", token: "", headers: [:]))
            #expect(try (JSONSerialization.jsonObject(with: Data(list.body.utf8)) as? [Any])?.count == 2)
            let later = try fixture.hub.client()
            try await later.write(
                fixture.hub.request("GET", "/_emulator/events?hub=ios&since=0", token: "", headers: [:]))
            received = ""
            while !received.contains(#""action":"decline""#) {
                received += String(decoding: try await later.some(), as: UTF8.self)
            }
        }
    }
}
