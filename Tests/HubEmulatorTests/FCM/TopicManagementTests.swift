import Testing

@testable import HubEmulator

/// `POST /iid/v1:batchAdd` and `:batchRemove`.
@Suite struct TopicManagementTests {
    private func change(
        _ fixture: FCMFixture, _ operation: String, _ body: String, header: String? = "true", token: String? = nil
    ) async throws -> Client.Reply {
        var headers: [String: String] = [:]
        headers["access_token_auth"] = header
        return try await fixture.post("/iid/v1:\(operation)", body, token: token, headers: headers)
    }

    @Test func phonesAreSubscribedAndLeaveAgain() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["News"])
            let tokens = #"["alice-token","stranger","gone-1","a b"]"#
            let added = try await change(
                fixture, "batchAdd", #"{"to":"/topics/Tech","registration_tokens":\#(tokens)}"#)
            #expect(added.status == 200)
            #expect(added.body == #"{"results":[{},{},{"error":"NOT_FOUND"},{"error":"INVALID_ARGUMENT"}]}"#)
            #expect(try fixture.emulator.installation("alice", at: "shop")?.topics == ["News", "Tech"])
            // A token that nobody had is a phone from then on.
            #expect(try fixture.emulator.devices(at: "shop") == ["alice", "stranger"])
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"1"}}"#)
            for phone in ["alice", "stranger"] { #expect(try fixture.texts(of: phone) == ["1"]) }
            let removed = try await change(
                fixture, "batchRemove", #"{"to":"/topics/Tech","registration_tokens":["alice-token","never-seen"]}"#)
            #expect(removed.body == #"{"results":[{},{}]}"#)
            #expect(try fixture.emulator.installation("alice", at: "shop")?.topics == ["News"])
        }
    }

    @Test(arguments: [
        ("{}", "true", nil, 400, "registration_tokens"),
        (#"{"to":"/topics/a b","registration_tokens":["x"]}"#, "true", nil, 400, "Topic"),
        (#"{"to":"/topics/a","registration_tokens":[]}"#, "true", nil, 400, "1 to 1000"),
        (#"{"to":"/topics/a","registration_tokens":["x"]}"#, nil, nil, 401, "access_token_auth"),
        (#"{"to":"/topics/a","registration_tokens":["x"]}"#, "true", "other", 401, "unknown"),
    ])
    func aWrongCallIsRefused(body: String, header: String?, token: String?, status: Int, says: String) async throws {
        try await FCMFixture.run { fixture in
            let reply = try await change(fixture, "batchAdd", body, header: header, token: token)
            #expect(reply.status == status && reply.body.contains(says), "\(reply.body)")
        }
    }

    /// As newer SDKs do it, one phone at a time.
    @Test func onePhoneIsSubscribedByItsAddress() async throws {
        try await FCMFixture.run { fixture in
            let phone = "/v1/projects/shop-emulator/registrations/a%3A1/topicSubscriptions"
            let bearer = "Bearer \(try fixture.accessToken())"
            func call(_ method: String, _ target: String) async throws -> Client.Reply {
                try await fixture.hub.exchange(
                    fixture.hub.request(method, target, token: bearer, headers: [:], body: method == "POST" ? "{}" : "")
                )
            }
            let added = try await call("POST", "\(phone)?topic_name=Tech")
            #expect(added.status == 200 && added.body.contains("registrations/a:1/topicSubscriptions/Tech"))
            #expect(try fixture.emulator.installation("a:1", at: "shop")?.topics == ["Tech"])
            let again = try await call("POST", "\(phone)?topic_name=Tech")
            #expect(try again.fcmError == "409 ALREADY_EXISTS -")
            #expect(try await call("DELETE", "\(phone)/Tech").status == 200)
            let gone = try await call("DELETE", "\(phone)/Tech")
            #expect(try gone.fcmError == "404 NOT_FOUND -")
            #expect(try await call("DELETE", "\(phone)/Tech?allow_missing=true").status == 200)
            let wrong = try await call("POST", "\(phone)?topic_name=a%20b")
            #expect(try wrong.fcmError == "400 INVALID_ARGUMENT INVALID_ARGUMENT topic_name")
            #expect(try await call("GET", "\(phone)?topic_name=Tech").status == 404)
        }
    }

    @Test func aThousandTokensAreTheLimit() async throws {
        try await FCMFixture.run { fixture in
            func body(_ count: Int) -> String {
                let tokens = (0..<count).map { "\"t\($0)\"" }.joined(separator: ",")
                return #"{"to":"/topics/Tech","registration_tokens":[\#(tokens)]}"#
            }
            for (count, status) in [(1_000, 200), (1_001, 400)] {
                let reply = try await change(fixture, "batchAdd", body(count))
                #expect(reply.status == status)
            }
            #expect(try fixture.emulator.devices(at: "shop").count == 1_000)
        }
    }
}
