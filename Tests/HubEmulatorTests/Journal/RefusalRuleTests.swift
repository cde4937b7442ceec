import Testing

@testable import HubEmulator

/// Every kind of refusal names its rule on the page.
@Suite struct RefusalRuleTests {
    private static let template = ["ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World"]

    private func refusal(_ send: (EmulatorFixture) -> String) async throws -> String? {
        var name: String?
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(send(fixture)).status >= 400)
            let entry = try #require(fixture.emulator.journal().last)
            name = entry.refusal.flatMap { RefusalRule(status: entry.status, detail: $0) }?.name
        }
        return name
    }

    @Test func aWrongTokenNamesItsRule() async throws {
        for (token, rule) in [
            ("", "token"), ("Bearer x", "token"), ("expired", "expiry"), ("other key", "signature"),
            ("other hub", "scope"), ("listener", "right"),
        ] {
            let name = try await refusal { fixture in
                let written: String? =
                    switch token {
                    case "expired": fixture.token(expiry: 1)
                    case "other key": fixture.token(key: "wrong")
                    case "other hub": fixture.token(path: "/sports")
                    case "listener": fixture.token("listener")
                    default: token
                    }
                return fixture.request(token: written, headers: Self.template, body: #"{"m":"x"}"#)
            }
            #expect(name == rule, "\(token)")
        }
    }

    @Test func aWrongRequestNamesItsRule() async throws {
        let cases: [(target: String, headers: [String: String], body: String, rule: String)] = [
            ("/nowhere/messages?api-version=2020-06", [:], "{}", "hub name"),
            ("/news/messages?api-version=2020-06", ["ServiceBusNotification-Format": "aple"], "{}", "format"),
            ("/news/messages?api-version=2020-06", ["ServiceBusNotification-Tags": "a b"], "{}", "tag expression"),
            ("/news/messages?api-version=2020-06", ["ServiceBusNotification-Tags": "(a && b"], "{}", "tag expression"),
            ("/news/messages?api-version=2020-06", [:], "[1]", "body"),
            ("/news/messages?api-version=1999-01", [:], "{}", "version"),
            ("/news/messages?direct&api-version=2020-06", [:], "{}", "direct send"),
            ("/news/messages?api-version=2020-06", [:], String(repeating: " ", count: 66_000), "size"),
            (
                "/news/schedulednotifications?api-version=2020-06",
                ["ServiceBusNotification-ScheduleTime": "tomorrow"], "{}", "schedule"
            ),
        ]
        for (target, headers, body, rule) in cases {
            let name = try await refusal { fixture in
                fixture.request(
                    "POST", target, headers: Self.template.merging(headers) { $1 }, body: body)
            }
            #expect(name == rule, "\(target) \(headers)")
        }
    }

    @Test func anUnknownDetailHasNoRule() {
        #expect(RefusalRule(status: 400, detail: "something else") == nil)
    }
}
