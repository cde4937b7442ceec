import Foundation
import Testing

@testable import HubEmulator

/// Limits of an installation, and its expiry.
@Suite struct InstallationRuleTests {
    private func put(_ fixture: EmulatorFixture, _ id: String, _ rest: String, platform: String = "apns") async throws
        -> Client.Reply
    {
        let body = #"{"installationId":"\#(id)","platform":"\#(platform)","pushChannel":"AA"\#(rest)}"#
        return try await fixture.exchange(
            fixture.request("PUT", "/news/installations/\(id)", token: fixture.token("all"), body: body))
    }

    @Test func tagsHaveAtMostEightThousandBytes() async throws {
        try await EmulatorFixture.run { fixture in
            // Nine bytes each with the comma, which the last one lacks.
            func tags(_ count: Int) -> String {
                "[\((0..<count).map { "\"t\(1_000_000 + $0)\"" }.joined(separator: ","))]"
            }
            #expect(try await put(fixture, "i", #","tags":\#(tags(889))"#).status == 200)
            let refused = try await put(fixture, "i", #","tags":\#(tags(890))"#)
            #expect(refused.status == 400)
            #expect(refused.body.contains("890 tags"))
            let template = #","templates":{"t":{"body":"{}","tags":\#(tags(890))}}"#
            #expect(try await put(fixture, "i", template).status == 400)
        }
    }

    @Test func aTemplateNameHasAtMostTwoHundredCharacters() async throws {
        try await EmulatorFixture.run { fixture in
            for (length, status) in [(200, 200), (201, 400)] {
                let name = String(repeating: "n", count: length)
                let reply = try await put(fixture, "i", #","templates":{"\#(name)":{"body":"{}"}}"#)
                #expect(reply.status == status)
            }
        }
    }

    @Test func anExpiredDeviceGetsNoPushes() async throws {
        try await EmulatorFixture.run { fixture in
            for (id, time) in [("late", "2027-01-15T07:59:59.9Z"), ("soon", "2027-01-15T09:00:01+01:00")] {
                let rest = #","expirationTime":"\#(time)","tags":["a"],"templates":{"t":{"body":"{}"}}"#
                #expect(try await put(fixture, id, rest).status == 200)
            }
            #expect(try await fixture.exchange(fixture.send(to: "a")).status == 201)
            #expect(try fixture.emulator.inbox(of: "late", at: "news").isEmpty)
            #expect(try fixture.emulator.inbox(of: "soon", at: "news").count == 1)
            #expect(fixture.emulator.warnings.filter { $0.kind == .expired }.map(\.subject) == ["late"])
            let read = try await fixture.exchange(
                fixture.request("GET", "/news/installations/late", token: fixture.token("all")))
            #expect(read.body.contains(#""expirationTime":"2027-01-15T07:59:59.9Z""#))
            #expect(read.body.contains(#""pushChannelExpired":false"#))
            #expect(try await put(fixture, "i", #","expirationTime":"tomorrow""#).status == 400)
        }
    }

    @Test func aTileHasItsOwnChannelTagsAndTemplates() async throws {
        try await EmulatorFixture.run { fixture in
            let tiles =
                #","tags":["phone"],"secondaryTiles":{"s":{"pushChannel":"TT","tags":["Tile"],"#
                + #""templates":{"t":{"body":"{\"x\":\"$(m)\"}"}}}}"#
            #expect(try await put(fixture, "i", tiles, platform: "wns").status == 200)
            #expect(try await put(fixture, "j", tiles).status == 400)
            let all = fixture.token("all")
            let read = try await fixture.exchange(fixture.request("GET", "/news/installations/i", token: all))
            #expect(
                read.body.contains(
                    #""secondaryTiles":{"s":{"pushChannel":"TT","tags":["Tile"],"templates":{"t":{"body":"{\"x\":\"$(m)\"}","tags":["t"]}}}}"#
                ))
            for tags in ["tile", "tile && t", "$InstallationId:{I} && t", "phone", "tile && phone"] {
                #expect(try await fixture.exchange(fixture.send(to: tags)).status == 201)
            }
            #expect(fixture.emulator.journal().map(\.reached) == [1, 1, 1, 0, 0])
            let native = fixture.send(to: "$InstallationId:{i}", "<toast/>", format: "windows")
            #expect(try await fixture.exchange(native).status == 201)
            #expect(fixture.emulator.journal().last?.reached == 2)

            let listed = try await fixture.exchange(fixture.request("GET", "/news/registrations", token: all))
            #expect(listed.body.matches(of: /<RegistrationId>/).count == 3)
            #expect(listed.body.matches(of: /<ChannelUri>TT<\/ChannelUri><SecondaryTileName>s</).count == 2)
            for found in listed.body.matches(of: /<RegistrationId>([^<]+)</) {
                let one = try await fixture.exchange(
                    fixture.request("GET", "/news/registrations/\(found.output.1)", token: all))
                #expect(one.status == 200)
            }
            let deleted = try await fixture.exchange(
                fixture.request(
                    "PATCH", "/news/installations/i", token: all, body: #"[{"op":"remove","path":"/secondaryTiles/s"}]"#
                ))
            #expect(deleted.status == 200)
            #expect(try await fixture.exchange(fixture.send(to: "tile")).status == 201)
            #expect(fixture.emulator.journal().last?.reached == 0)
        }
    }

    @Test func aFullHubRefusesADevice() async throws {
        try await EmulatorFixture.run({ $0.deviceLimit = 2 }) { fixture in
            for (id, status) in [("a", 200), ("b", 200), ("c", 403), ("a", 200)] {
                #expect(try await put(fixture, id, "").status == status)
            }
            let made = try await fixture.exchange(
                fixture.request(
                    "POST", "/news/registrations", token: fixture.token("all"), body: RegistrationEntry.phone))
            #expect(made.status == 403)
            #expect(made.headers["retry-after"] == nil)
            #expect(try fixture.emulator.devices(at: "news") == ["a", "b"])
        }
        try await EmulatorFixture.run({ $0.tier = .free }) { fixture in
            for number in 1...500 {
                try fixture.emulator.register(Installation("i\(number)", pushChannel: .handle("AA")), at: "news")
            }
            #expect(try await put(fixture, "i501", "").status == 403)
        }
    }

    @Test func anIdIsDecodedFromTheAddress() async throws {
        try await EmulatorFixture.run { fixture in
            let body = #"{"installationId":"a/ü b","platform":"apns","pushChannel":"AA"}"#
            let target = "/news/installations/a%2F%C3%BC%20b"
            let put = try await fixture.exchange(
                fixture.request("PUT", target, token: fixture.token("all"), body: body))
            #expect(put.status == 200)
            #expect(try fixture.emulator.devices(at: "news") == ["a/ü b"])
        }
    }
}
