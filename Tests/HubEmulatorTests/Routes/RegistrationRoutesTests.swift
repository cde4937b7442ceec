import Foundation
import Testing

@testable import HubEmulator

/// Registrations made on their own (docs/wire/notification-hubs.md, "Registrations").
@Suite struct RegistrationRoutesTests {
    @Test func aRegistrationIsCreatedReadChangedAndDeleted() async throws {
        try await EmulatorFixture.run { fixture in
            let made = try await fixture.registrations(
                "POST", "/news/registrations?api-version=2020-06", RegistrationEntry.phone)
            #expect(made.status == 200)
            #expect(made.headers["etag"] == "W/\"1\"")
            #expect(made.headers["content-type"] == "application/atom+xml; type=entry; charset=utf-8")
            let id = try made.registrationID()
            #expect(
                made.headers["content-location"]
                    == "http://\(fixture.host)/news/registrations/\(id)?api-version=2020-06")
            #expect(made.body.contains("<id>http://\(fixture.host)/news/registrations/\(id)?api-version=2020-06</id>"))
            #expect(made.body.contains("<Tags>World,Sports</Tags><DeviceToken>AA01</DeviceToken>"))
            #expect(made.body.contains("<ExpirationTime>9999-12-31T23:59:59.9999999Z</ExpirationTime>"))

            let target = "/news/registrations/\(id)"
            #expect(try await fixture.registrations("GET", target, policy: "listener").body.contains("<ETag>1</ETag>"))
            let changed = RegistrationEntry.entry("Apple", "<DeviceToken>AA02</DeviceToken>")
            for (match, status) in [("\"7\"", 412), ("W/\"1\"", 200), ("\"2\"", 200), ("3", 200), ("*", 200)] {
                #expect(
                    try await fixture.registrations("PUT", target, changed, match: match).status == status, "\(match)")
            }
            let read = try await fixture.registrations("GET", target)
            #expect(read.headers["etag"] == "W/\"5\"")
            #expect(read.body.contains("<DeviceToken>AA02</DeviceToken>"))
            #expect(!read.body.contains("<Tags>"))

            #expect(try await fixture.registrations("DELETE", target).status == 412)
            #expect(try await fixture.registrations("DELETE", target, match: "\"1\"").status == 412)
            #expect(try await fixture.registrations("DELETE", target, match: "\"5\"").status == 200)
            #expect(try await fixture.registrations("DELETE", target, match: "*").status == 404)
            #expect(try await fixture.registrations("GET", target).status == 404)
            #expect(try await fixture.registrations("PUT", target, changed, match: "*").status == 404)
            #expect(try await fixture.registrations("PUT", target, changed).headers["etag"] == "W/\"1\"")
        }
    }

    @Test func anIdOfTheHubTakesAPut() async throws {
        try await EmulatorFixture.run { fixture in
            let reserved = try await fixture.registrations(
                "POST", "/news/registrationids?api-version=2020-06", policy: "listener")
            #expect(reserved.status == 201)
            #expect(reserved.body.isEmpty)
            let location = try #require(reserved.headers["content-location"])
            #expect(reserved.headers["location"] == location.replacing("registrations/", with: "registrationids/"))
            let target = try #require(location.split(separator: fixture.host).last).description
            #expect(target.hasPrefix("/news/registrations/") && target.hasSuffix("?api-version=2020-06"))
            #expect(try await fixture.registrations("GET", target).status == 404)
            for version in 1...2 {
                let put = try await fixture.registrations("PUT", target, RegistrationEntry.phone, policy: "listener")
                #expect(put.status == 200)
                #expect(put.headers["etag"] == "W/\"\(version)\"")
                #expect(target.contains(try put.registrationID()))
            }
        }
    }

    /// Recorded: an id of one's own is taken if it is three numbers.
    @Test(arguments: [
        ("123-234-1", 200), ("9223372036854775807-18446744073709551615-3", 200), ("1-2", 410), ("1-2-3-4", 410),
        ("1-2-x", 410), ("1--3", 410), ("+1-2-3", 410), ("1-2-٣", 410), ("phone", 410),
        ("111111111111111111111-1-1", 410),
    ])
    func onlyAnIdOfThreeNumbersIsTaken(id: String, status: Int) async throws {
        try await EmulatorFixture.run { fixture in
            let path = id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? id
            let put = try await fixture.registrations("PUT", "/news/registrations/\(path)", RegistrationEntry.phone)
            #expect(put.status == status)
            if status == 200 { #expect(try put.registrationID() == id) }
        }
    }

    @Test func aRegistrationOfAnInstallationCannotBeChanged() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(Installation("i", pushChannel: .handle("AA01")), at: "news")
            let target = "/news/registrations/\(RegistrationID(device: "i", template: nil).text)"
            #expect(try await fixture.registrations("PUT", target, RegistrationEntry.phone, match: "*").status == 409)
            let deleted = try await fixture.registrations("DELETE", target, match: "*")
            #expect(deleted.status == 409)
            #expect(deleted.body.contains("belongs to the installation i"))
        }
    }

    @Test func aFilterFindsTheRegistrationsOfAHandle() async throws {
        try await EmulatorFixture.run { fixture in
            for tag in 1...3 {
                let body = RegistrationEntry.entry("Apple", "<Tags>t\(tag)</Tags><DeviceToken>AA01</DeviceToken>")
                #expect(try await fixture.registrations("POST", "/news/registrations", body).status == 200)
            }
            for handle in ["it's", "a+b"] {
                _ = try await fixture.registrations(
                    "POST", "/news/registrations",
                    RegistrationEntry.entry("Gcm", "<GcmRegistrationId>\(handle)</GcmRegistrationId>"))
            }
            try fixture.emulator.register(
                Installation("i", pushChannel: .handle("AA01"), templates: ["t": "{}"]), at: "news")
            for (filter, count) in [
                ("DeviceToken%20eq%20'AA01'", 5), ("DeviceToken%20eq%20'aa01'", 5),
                ("ChannelUri%20eq%20'AA01'", 5), ("GcmRegistrationId%20eq%20'AA01'", 0),
                ("GcmRegistrationId%20eq%20'it''s'", 1), ("FcmV1RegistrationId%20eq%20'it''s'", 0),
                ("ChannelUri+eq+%27AA01%27", 5), ("deviceToken+eq+'AA01'", 5), ("GcmRegistrationId+eq+'it%27%27s'", 1),
                // A handle with a plus: percent-encoded as it is, form-encoded as %2B.
                ("GcmRegistrationId%20eq%20'a+b'", 1), ("GcmRegistrationId+eq+'a%2Bb'", 1),
                ("GcmRegistrationId+eq+'a+b'", 0),
            ] {
                let reply = try await fixture.registrations(
                    "GET", "/news/registrations?$filter=\(filter)", policy: "listener")
                #expect(reply.status == 200)
                #expect(reply.body.matches(of: /<RegistrationId>/).count == count, "\(filter)")
            }
            let first = try await fixture.registrations(
                "GET", "/news/registrations?%24filter=DeviceToken+eq+'AA01'&$top=4")
            #expect(first.headers["x-ms-continuationtoken"] != nil)
            let link = try #require(first.body.firstMatch(of: /rel="next" href="http:\/\/[^\/]+([^"]+)"/))
            let second = try await fixture.registrations("GET", String(link.output.1).replacing("&amp;", with: "&"))
            #expect(second.body.matches(of: /<RegistrationId>/).count == 1)
            #expect(try await fixture.registrations("GET", "/news/registrations", policy: "listener").status == 401)
        }
    }

    @Test func pagesAndTagsListAllRegistrations() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 1...5 {
                try fixture.emulator.register(
                    Installation("i\(number)", pushChannel: .handle("AA"), tags: ["World"]), at: "news")
                #expect(
                    try await fixture.registrations("POST", "/news/registrations", RegistrationEntry.phone).status
                        == 200)
            }
            for path in ["registrations", "tags/world/registrations"] {
                var ids: [String] = []
                var token = ""
                repeat {
                    let page = try await fixture.registrations("GET", "/news/\(path)?$top=3&ContinuationToken=\(token)")
                    ids += page.body.matches(of: /<RegistrationId>([^<]+)</).map { String($0.output.1) }
                    token = page.headers["x-ms-continuationtoken"] ?? ""
                } while !token.isEmpty
                #expect(ids.count == 10)
                #expect(Set(ids).count == 10)
            }
            let metrics = try await fixture.exchange(fixture.request("GET", "/_emulator/metrics", token: ""))
            #expect(metrics.body.contains("fanfare_emulator_registrations{hub=\"news\",platform=\"apns\"} 10\n"))
            #expect(metrics.body.contains("fanfare_emulator_devices{hub=\"news\"} 10\n"))
        }
    }

    @Test func anExpiredRegistrationGetsOneWarning() async throws {
        try await EmulatorFixture.run { fixture in
            let body = RegistrationEntry.entry(
                "AppleTemplate",
                "<ExpirationTime>2027-01-15T07:59:59Z</ExpirationTime><Tags>a</Tags><DeviceToken>AA</DeviceToken>"
                    + "<BodyTemplate>{}</BodyTemplate>")
            let made = try await fixture.registrations("POST", "/news/registrations", body)
            #expect(made.body.contains("<ExpirationTime>2027-01-15T07:59:59Z</ExpirationTime>"))
            for _ in 1...2 { #expect(try await fixture.exchange(fixture.send(to: "a")).status == 201) }
            #expect(fixture.emulator.journal().map(\.reached) == [0, 0])
            let warning = fixture.emulator.warnings.first { $0.kind == .expired }
            #expect(warning?.subject == (try made.registrationID()))
            #expect(warning?.count == 2)
        }
    }

    @Test func anUnknownMethodIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            for (method, target) in [
                ("PUT", "/news/registrations"), ("GET", "/news/registrationids"), ("POST", "/news/registrations/1-2-3"),
                ("DELETE", "/news/tags/a/registrations"),
            ] {
                let reply = try await fixture.registrations(method, target, RegistrationEntry.phone, match: "*")
                #expect(reply.status == 405, "\(method) \(target)")
            }
            #expect(
                try await fixture.registrations(
                    "POST", "/news/registrations", RegistrationEntry.phone, policy: "sender"
                ).status == 401)
        }
    }
}
