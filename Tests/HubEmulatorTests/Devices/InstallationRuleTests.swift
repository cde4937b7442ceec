import Foundation
import Testing

@testable import HubEmulator

/// What an installation may hold, and how long it lasts.
@Suite struct InstallationRuleTests {
    private func put(_ bench: Bench, _ id: String, _ rest: String, platform: String = "apns") async throws
        -> Client.Reply
    {
        let body = #"{"installationId":"\#(id)","platform":"\#(platform)","pushChannel":"AA"\#(rest)}"#
        return try await bench.exchange(
            bench.request("PUT", "/news/installations/\(id)", token: bench.token("all"), body: body))
    }

    @Test func eightThousandBytesOfTagsAreTheMost() async throws {
        try await Bench.run { bench in
            // Nine bytes each with the comma, but for the last one.
            func tags(_ count: Int) -> String {
                "[\((0..<count).map { "\"t\(1_000_000 + $0)\"" }.joined(separator: ","))]"
            }
            #expect(try await put(bench, "i", #","tags":\#(tags(889))"#).status == 200)
            let refused = try await put(bench, "i", #","tags":\#(tags(890))"#)
            #expect(refused.status == 400)
            #expect(refused.body.contains("890 tags"))
            let template = #","templates":{"t":{"body":"{}","tags":\#(tags(890))}}"#
            #expect(try await put(bench, "i", template).status == 400)
        }
    }

    @Test func aTemplateNameHasAtMostTwoHundredCharacters() async throws {
        try await Bench.run { bench in
            for (length, status) in [(200, 200), (201, 400)] {
                let name = String(repeating: "n", count: length)
                let reply = try await put(bench, "i", #","templates":{"\#(name)":{"body":"{}"}}"#)
                #expect(reply.status == status)
            }
        }
    }

    @Test func anExpiredDeviceGetsNothing() async throws {
        try await Bench.run { bench in
            for (id, time) in [("late", "2027-01-15T07:59:59.9Z"), ("soon", "2027-01-15T09:00:01+01:00")] {
                let rest = #","expirationTime":"\#(time)","tags":["a"],"templates":{"t":{"body":"{}"}}"#
                #expect(try await put(bench, id, rest).status == 200)
            }
            #expect(try await bench.exchange(bench.send(to: "a")).status == 201)
            #expect(try bench.emulator.inbox(of: "late", at: "news").isEmpty)
            #expect(try bench.emulator.inbox(of: "soon", at: "news").count == 1)
            #expect(bench.emulator.warnings.filter { $0.kind == .expired }.map(\.subject) == ["late"])
            let read = try await bench.exchange(
                bench.request("GET", "/news/installations/late", token: bench.token("all")))
            #expect(read.body.contains(#""expirationTime":"2027-01-15T07:59:59.9Z""#))
            #expect(read.body.contains(#""pushChannelExpired":false"#))
            #expect(try await put(bench, "i", #","expirationTime":"tomorrow""#).status == 400)
        }
    }

    @Test func aTileHasAChannelTagsAndTemplatesOfItsOwn() async throws {
        try await Bench.run { bench in
            let tiles =
                #","tags":["phone"],"secondaryTiles":{"s":{"pushChannel":"TT","tags":["Tile"],"#
                + #""templates":{"t":{"body":"{\"x\":\"$(m)\"}"}}}}"#
            #expect(try await put(bench, "i", tiles, platform: "wns").status == 200)
            #expect(try await put(bench, "j", tiles).status == 400)
            let all = bench.token("all")
            let read = try await bench.exchange(bench.request("GET", "/news/installations/i", token: all))
            #expect(
                read.body.contains(
                    #""secondaryTiles":{"s":{"pushChannel":"TT","tags":["Tile"],"templates":{"t":{"body":"{\"x\":\"$(m)\"}","tags":["t"]}}}}"#
                ))
            for tags in ["tile", "tile && t", "$InstallationId:{I} && t", "phone", "tile && phone"] {
                #expect(try await bench.exchange(bench.send(to: tags)).status == 201)
            }
            #expect(bench.emulator.journal().map(\.reached) == [1, 1, 1, 0, 0])
            let native = bench.send(to: "$InstallationId:{i}", "<toast/>", format: "windows")
            #expect(try await bench.exchange(native).status == 201)
            #expect(bench.emulator.journal().last?.reached == 2)

            let listed = try await bench.exchange(bench.request("GET", "/news/registrations", token: all))
            #expect(listed.body.matches(of: /<RegistrationId>/).count == 3)
            #expect(listed.body.matches(of: /<ChannelUri>TT<\/ChannelUri><SecondaryTileName>s</).count == 2)
            for found in listed.body.matches(of: /<RegistrationId>([^<]+)</) {
                let one = try await bench.exchange(
                    bench.request("GET", "/news/registrations/\(found.output.1)", token: all))
                #expect(one.status == 200)
            }
            let gone = try await bench.exchange(
                bench.request(
                    "PATCH", "/news/installations/i", token: all, body: #"[{"op":"remove","path":"/secondaryTiles/s"}]"#
                ))
            #expect(gone.status == 200)
            #expect(try await bench.exchange(bench.send(to: "tile")).status == 201)
            #expect(bench.emulator.journal().last?.reached == 0)
        }
    }

    @Test func oneDeviceTooManyIsForbidden() async throws {
        try await Bench.run({ $0.deviceLimit = 2 }) { bench in
            for (id, status) in [("a", 200), ("b", 200), ("c", 403), ("a", 200)] {
                #expect(try await put(bench, id, "").status == status)
            }
            let made = try await bench.exchange(
                bench.request(
                    "POST", "/news/registrations", token: bench.token("all"), body: StoredRegistrationTests.phone))
            #expect(made.status == 403)
            #expect(made.headers["retry-after"] == nil)
            #expect(try bench.emulator.devices(at: "news") == ["a", "b"])
        }
        try await Bench.run({ $0.tier = .free }) { bench in
            for number in 1...500 {
                try bench.emulator.register(Installation("i\(number)", pushChannel: .handle("AA")), at: "news")
            }
            #expect(try await put(bench, "i501", "").status == 403)
        }
    }

    @Test func anIdIsDecodedFromTheAddress() async throws {
        try await Bench.run { bench in
            let body = #"{"installationId":"a/ü b","platform":"apns","pushChannel":"AA"}"#
            let target = "/news/installations/a%2F%C3%BC%20b"
            let put = try await bench.exchange(
                bench.request("PUT", target, token: bench.token("all"), body: body))
            #expect(put.status == 200)
            #expect(try bench.emulator.devices(at: "news") == ["a/ü b"])
        }
    }
}

@Suite struct ExpiryTests {
    @Test(arguments: [
        ("2027-01-15T08:00:00Z", 1_800_000_000.0), ("2027-01-15T08:00:00.5Z", 1_800_000_000.5),
        ("2027-01-15 08:00:00", 1_800_000_000), ("2027-01-15T09:30+01:30", 1_800_000_000),
        ("2027-01-15", 1_799_971_200), ("1970-01-01T00:00:00Z", 0), ("2024-02-29T00:00:00Z", 1_709_164_800),
        ("9999-12-31T23:59:59.9999999Z", .infinity),
    ])
    func aDateIsRead(text: String, seconds: Double) { #expect(Expiry(text)?.seconds == seconds) }

    @Test(arguments: [
        "", "soon", "2027-13-01", "2027-02-29", "2027-01-15T24:00:00Z", "2027-01-15T08:00:00ZZ", "2027-1-5",
        "2027-01-15T",
        "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00.1234567890Z", "٢٠٢٧-01-15", "2027-01-15T08:00:00+99:00",
    ])
    func whatIsNoDateIsNone(text: String) { #expect(Expiry(text) == nil) }
}
