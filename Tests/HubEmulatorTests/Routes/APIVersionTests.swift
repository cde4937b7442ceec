import Testing

@testable import HubEmulator

@Suite struct APIVersionTests {
    @Test(arguments: Array(APIVersion.known).sorted() + ["2023-10-01-preview", "2031-12"])
    func everyVersionSinceTheFirstIsServed(version: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(
                fixture.request("POST", "/news/messages?api-version=\(version)", body: "{}"))
            #expect(reply.status == 201)
            #expect(reply.headers["location"]?.hasSuffix("?api-version=\(version)") == true)
            let isKnown = APIVersion.known.contains(version)
            #expect(fixture.emulator.warnings.map(\.kind).contains(.unknownVersion) == !isKnown)
        }
    }

    @Test(arguments: ["2013-03", "2012-01", "", "1", "2020-6", "2020-13", "2020-00", "latest", "2020-06'", "9999"])
    func anInvalidVersionIsRefusedEverywhere(version: String) async throws {
        try await EmulatorFixture.run { fixture in
            let all = fixture.token("all")
            for (method, path) in [
                ("POST", "messages"), ("GET", "messages/x"), ("POST", "schedulednotifications"),
                ("DELETE", "schedulednotifications/x"), ("GET", "registrations"), ("GET", "installations/x"),
                ("GET", "feedbackcontainer"),
            ] {
                let reply = try await fixture.exchange(
                    fixture.request(method, "/news/\(path)?api-version=\(version)", token: all, body: ""))
                #expect(reply.status == 400, "\(method) \(path)")
                #expect(reply.body.contains("The api-version '\(version)' is not supported."), "\(method) \(path)")
            }
        }
    }

    /// An empty 403 is new; older versions name the missing right.
    @Test(arguments: [
        ("?api-version=2020-06", 403), ("", 403), ("?api-version=2017-04", 401), ("?api-version=2015-01", 401),
    ])
    func aMissingRightIsReportedAsTheVersionDoes(query: String, status: Int) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(
                fixture.request("POST", "/news/messages\(query)", token: fixture.token("listener"), body: "{}"))
            #expect(reply.status == status)
            #expect(reply.body.isEmpty == (status == 403))
            if status == 401 { #expect(reply.body.contains("<Detail>Send claim is required for this operation.")) }
        }
    }

    /// docs/wire/notification-hubs.md, "Connection strings": which right allows what.
    @Test func everyOperationNeedsItsRight() async throws {
        try await EmulatorFixture.run { fixture in
            for (method, path, sender, listener) in [
                ("POST", "messages", 201, 403), ("POST", "messages?test", 201, 403),
                ("GET", "messages/x", 404, 403), ("POST", "schedulednotifications", 400, 403),
                ("DELETE", "schedulednotifications/x", 404, 403), ("GET", "feedbackcontainer", 401, 401),
                ("GET", "registrations", 401, 401), ("GET", "tags/World/registrations", 401, 401),
                ("GET", "registrations/x", 401, 404), ("GET", "installations/x", 401, 404),
                ("DELETE", "installations/x", 401, 204),
            ] {
                for (policy, status) in [("sender", sender), ("listener", listener)] {
                    let reply = try await fixture.exchange(
                        fixture.request(method, "/news/\(path)", token: fixture.token(policy), body: "{}"))
                    #expect(reply.status == status, "\(policy): \(method) \(path)")
                    if status == 401 {
                        #expect(reply.body.contains("Manage claim is required"), "\(policy): \(method) \(path)")
                    }
                }
                let reply = try await fixture.exchange(
                    fixture.request(method, "/news/\(path)", token: fixture.token("all"), body: "{}"))
                #expect(reply.status != 401 && reply.status != 403, "\(method) \(path)")
            }
        }
    }
}
