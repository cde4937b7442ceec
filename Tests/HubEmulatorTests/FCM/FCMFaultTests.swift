import Testing

@testable import HubEmulator

/// Faults that strike FCM.
@Suite struct FCMFaultTests {
    private func fault(_ json: String) throws -> Fault { try #require(try Fault.list(json: Array(json.utf8)).first) }

    private static let message = #"{"topic":"Tech","notification":{"body":"B"}}"#

    @Test func aFaultHasFCMsForm() async throws {
        try await FCMFixture.run { fixture in
            for (json, error) in [
                (#"{"nth":1,"status":429,"retryAfter":7}"#, "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED"),
                (#"{"nth":1,"operation":"fcm","status":503}"#, "503 UNAVAILABLE UNAVAILABLE"),
                (
                    #"{"nth":1,"operation":"fcm","status":401,"errorCode":"THIRD_PARTY_AUTH_ERROR"}"#,
                    "401 UNAUTHENTICATED THIRD_PARTY_AUTH_ERROR"
                ), (#"{"nth":1,"hub":"shop","status":404}"#, "404 NOT_FOUND -"),
            ] {
                fixture.emulator.clearFaults()
                try fixture.emulator.add(try fault(json))
                let reply = try await fixture.send(Self.message)
                #expect(try reply.fcmError == error)
                if json.contains("retryAfter") { #expect(reply.headers["retry-after"] == "7") }
                #expect(try await fixture.send(Self.message).status == 200)
            }
            fixture.emulator.clearFaults()
            try fixture.emulator.add(try fault(#"{"status":502,"html":true}"#))
            #expect(try await fixture.send(Self.message).body.hasPrefix("<html>"))
        }
    }

    @Test func aLostAnswerMayHaveBeenDelivered() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            try fixture.emulator.add(try fault(#"{"nth":1,"close":"after-body","taken":true}"#))
            try fixture.emulator.add(try fault(#"{"nth":2,"status":500,"taken":true}"#))
            let client = try fixture.hub.client()
            let request = fixture.hub.request(
                "POST", "/v1/projects/shop-emulator/messages:send", token: "Bearer \(try fixture.accessToken())",
                headers: [:],
                body: #"{"message":\#(Self.message)}"#)
            try await client.write(request)
            #expect(await client.rest().isEmpty)
            #expect(try await fixture.send(Self.message).status == 500)
            #expect(try fixture.texts(of: "alice") == ["B", "B"])
            #expect(fixture.emulator.journal().map(\.taken) == [true, true])
            #expect(fixture.emulator.journal().map(\.status) == [nil, 500])
        }
    }

    /// Otherwise the journal would show a broadcast.
    @Test func theJournalNamesTheTargetOfARefusedSend() async throws {
        try await FCMFixture.run { fixture in
            try fixture.emulator.add(try fault(#"{"next":3,"status":503}"#))
            _ = try await fixture.send(Self.message)
            _ = try await fixture.send(#"{"token":"a"}"#)
            _ = try await fixture.send(#"{"topic":"Tech"}"#, isTrial: true)
            _ = try await fixture.send(Self.message, token: "unknown")
            let entries = fixture.emulator.journal()
            #expect(entries.map(\.status) == [503, 503, 503, 401])
            #expect(entries.map(\.tags) == ["Tech", nil, "Tech", "Tech"])
            #expect(entries.map(\.handles) == [nil, 1, nil, nil])
            #expect(entries.map(\.kind) == [.send, .direct, .trial, .send])
        }
    }

    @Test func aConnectionIsClosedBeforeTheBody() async throws {
        try await FCMFixture.run { fixture in
            try fixture.emulator.add(try fault(#"{"nth":1,"close":"before-body"}"#))
            let client = try fixture.hub.client()
            try await client.write(
                "POST /v1/projects/shop-emulator/messages:send HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
            #expect(await client.rest().isEmpty)
            #expect(fixture.emulator.journal().map(\.fault) == [1])
        }
    }

    @Test func aTagIsATopic() async throws {
        try await FCMFixture.run { fixture in
            try fixture.emulator.add(try fault(#"{"tag":"Sport","status":503}"#))
            #expect(try await fixture.send(Self.message).status == 200)
            #expect(try await fixture.send(#"{"topic":"Sport"}"#).status == 503)
            #expect(try await fixture.send(#"{"condition":"'Tech' in topics || 'Sport' in topics"}"#).status == 503)
            #expect(try await fixture.send(#"{"token":"Sport"}"#).status == 200)
            #expect(fixture.emulator.faults.map(\.struck) == [2])
        }
    }

    @Test func anExchangeFailsAsTheFaultSays() async throws {
        try await FCMFixture.run { fixture in
            try fixture.emulator.add(try fault(#"{"nth":1,"operation":"fcmToken","status":503}"#))
            try fixture.emulator.add(
                try fault(#"{"nth":2,"operation":"fcmToken","status":400,"errorCode":"invalid_client"}"#))
            try fixture.emulator.add(try fault(#"{"nth":3,"operation":"fcmToken","hub":"news","status":500}"#))
            let assertion = try await fixture.signed()
            let busy = try await fixture.grant(assertion)
            #expect(busy.status == 503 && busy.body.contains("internal_failure"))
            let refused = try await fixture.grant(assertion)
            #expect(refused.status == 400 && refused.body.contains("invalid_client"))
            #expect(try await fixture.grant(assertion).status == 200)
            // A send is no exchange.
            #expect(try await fixture.send(Self.message).status == 200)
        }
    }

    @Test func aRevokedAccountHasNoTokens() async throws {
        try await FCMFixture.run { fixture in
            let primary = try fixture.accessToken(account: 0)
            let secondary = try fixture.accessToken(account: 1)
            try fixture.emulator.add(try fault(#"{"rotated":"primary"}"#))
            #expect(try await fixture.send(Self.message, token: primary).status == 401)
            #expect(try await fixture.send(Self.message, token: secondary).status == 200)
            let refused = try await fixture.grant(try await fixture.signed())
            #expect(refused.status == 400 && refused.body.contains("account not found"))
            #expect(try await fixture.grant(try await fixture.signed(account: 1)).status == 200)
        }
    }

    @Test func aSkewedClockRefusesAssertions() async throws {
        try await FCMFixture.run { fixture in
            try fixture.emulator.add(try fault(#"{"operation":"fcmToken","skewSeconds":7200}"#))
            let refused = try await fixture.grant(try await fixture.signed())
            #expect(refused.status == 400 && refused.body.contains("iat and exp"))
        }
    }

    @Test func aSuccessThatWasNotTakenNamesAMessage() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            try fixture.emulator.add(try fault(#"{"nth":1,"status":200}"#))
            let reply = try await fixture.send(Self.message)
            #expect((try reply.json["name"] as? String)?.hasPrefix("projects/shop-emulator/messages/") == true)
            #expect(try fixture.texts(of: "alice").isEmpty)
        }
    }
}
