import Testing

@testable import HubEmulator

/// What FCM takes in silence, and the sender most likely did not mean.
@Suite struct FCMWarningTests {
    @Test func aTopicThatNobodyHasIsNamed() async throws {
        try await FCMFixture.run { fixture in
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"B"}}"#)
            #expect(fixture.warnings == [.noDevices])
            try fixture.phone("alice", topics: ["Tech"])
            _ = try await fixture.send(#"{"topic":"tech","notification":{"body":"B"}}"#)
            let warning = try #require(fixture.emulator.warnings.last)
            #expect(
                warning.kind == .unknownTopic && warning.hub == "shop" && warning.text.contains("did you mean Tech?"))
        }
    }

    @Test func aKeyThatNoPhoneKnowsIsShownAndNamed() async throws {
        let strings = try StringsFile(json: Array(#"{"fr":{"k":"%s %s"}}"#.utf8), file: "f")
        func message(_ key: String) -> String {
            #"{"topic":"Tech","android":{"notification":{"title_loc_key":"\#(key)","title_loc_args":["Anna"]}}}"#
        }
        try await FCMFixture.run({ $0.strings = strings }) { fixture in
            try fixture.phone("alice", topics: ["Tech"], language: "de")
            try fixture.phone("bob", topics: ["Tech"], language: "fr")
            _ = try await fixture.send(message("NEWS"))
            #expect(try fixture.texts(of: "alice") == ["NEWS (Anna)"])
            #expect(fixture.emulator.warnings.map(\.text).contains { $0.hasPrefix("no phone knows the key NEWS") })
            fixture.emulator.warningLog.clear()
            _ = try await fixture.send(message("k"))
            #expect(try fixture.texts(of: "bob").last == "Anna %s")
            #expect(fixture.warnings == [.unknownKey, .missingArgument])
            #expect(fixture.emulator.warnings[0].text.contains("a phone in de does not know the key k"))
        }
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            _ = try await fixture.send(message("k"))
            #expect(fixture.emulator.warnings.map(\.text).contains { $0.contains("--strings FILE") })
            #expect(try fixture.texts(of: "alice") == ["k (Anna)"])
        }
    }

    @Test func dataBesideANotificationIsNoticedOnAndroid() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("iphone", .apns)
            try fixture.phone("android")
            let parts = #""notification":{"body":"B"},"data":{"id":"7"}"#
            _ = try await fixture.send(#"{"token":"iphone-token",\#(parts)}"#)
            #expect(fixture.warnings.isEmpty)
            _ = try await fixture.send(#"{"token":"android-token","data":{"id":"7"}}"#)
            #expect(fixture.warnings.isEmpty)
            _ = try await fixture.send(#"{"token":"android-token",\#(parts)}"#)
            #expect(fixture.warnings == [.dataBesideNotification])
        }
    }

    @Test func aConditionWithoutParenthesesIsNoticed() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["a", "b", "c"])
            let condition = "'a' in topics || 'b' in topics && 'c' in topics"
            _ = try await fixture.send(#"{"condition":"\#(condition)","notification":{"body":"B"}}"#)
            #expect(fixture.warnings == [.mixedCondition])
        }
    }

    @Test func aLargeMessageToTopicsIsNoticed() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["a"])
            let data = #""data":{"k":"\#(String(repeating: "x", count: 3_000))"}"#
            _ = try await fixture.send(#"{"token":"alice-token",\#(data)}"#)
            #expect(fixture.warnings.isEmpty)
            _ = try await fixture.send(#"{"topic":"a",\#(data)}"#)
            #expect(fixture.warnings == [.largeForTopics])
        }
    }

    @Test func whatOnlyThePhoneWouldNotShowIsNoticed() async throws {
        try await FCMFixture.run { fixture in
            _ = try await fixture.send(#"{"token":"a","apns":{"payload":{"aps":{"alert":"x","bagde":1}}}}"#)
            #expect(fixture.warnings == [.payloadShape])
            #expect(fixture.emulator.warnings[0].text.contains("bagde"))
        }
    }
}
