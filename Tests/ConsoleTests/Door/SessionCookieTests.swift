import Signing
import Testing

@testable import Console

@Suite struct SessionCookieTests {
    private static let now = 1_800_000_000.0
    private static let password = PasswordHash.make(of: "correct horse", cost: .cheap)
    private let ann = Account(Person("ann é", rights: [.look, .operate]), password: password)

    private func person(_ value: some StringProtocol, _ users: [Account], now: Double = now) -> Person? {
        SessionCookie.person(in: value, of: People(users), now: now)
    }

    private func value(_ user: Account, now: Double = now) throws -> String {
        try #require(SessionCookie.value(for: user, now: now))
    }

    @Test func aPersonIsKnownAgainAfterARestart() throws {
        let value = try value(ann)
        #expect(person(value, [ann]) == ann.person)
        #expect(
            value.utf8.allSatisfy { (0x21...0x7e).contains($0) && !";,\"\\".utf8.contains($0) }, "fits into a cookie")
    }

    @Test func itEndsAfterTwelveHours() throws {
        let value = try value(ann)
        #expect(person(value, [ann], now: Self.now + 43_199) != nil)
        #expect(person(value, [ann], now: Self.now + 43_200) == nil)
        #expect(person(value, [ann], now: Self.now + 86_400) == nil, "yesterday's")
    }

    @Test func aClockThatIsSetBackMakesItLastNoLonger() throws {
        let value = try value(ann)
        #expect(person(value, [ann], now: Self.now - 299) != nil)
        #expect(person(value, [ann], now: Self.now - 86_400) == nil)
    }

    @Test func itIsVoidWhenTheSettingsOfThePersonChange() throws {
        let value = try value(ann)
        var other = ann
        other.password = .make(of: "correct horse", cost: .cheap)
        #expect(person(value, [other]) == nil, "the same password, set again")
        other = ann
        other.person.rights.remove(.operate)
        #expect(person(value, [other]) == nil)
        other = ann
        other.password = nil
        #expect(person(value, [other]) == nil)
        #expect(person(value, []) == nil)
        let ben = Account(Person("ben", rights: [.look]), password: Self.password)
        #expect(person(value, [ben, ann]) == ann.person, "what others may is of no matter")
    }

    @Test func nobodySignsForAPersonWithoutAPassword() {
        #expect(SessionCookie.value(for: Account(Person("ben", rights: []), password: nil), now: Self.now) == nil)
    }

    @Test func anotherNameIsNotSigned() throws {
        let ben = Account(Person("ben", rights: ann.person.rights), password: Self.password)
        var parts = try value(ann).split(separator: ".")
        parts[1] = try value(ben).split(separator: ".")[1]
        #expect(person(parts.joined(separator: "."), [ann, ben]) == nil)
    }

    @Test func everyChangeOfItIsSeen() throws {
        let value = Array(try value(ann).utf8)
        for index in value.indices {
            var changed = value
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(person(String(decoding: changed, as: UTF8.self), [ann]) == nil)
            #expect(person(String(decoding: value[..<index], as: UTF8.self), [ann]) == nil)
        }
    }

    @Test(arguments: ["", ".", "...", "1...", "1.YW5u.99999999999.", "1.YW5u.nan.x", "2.a.b.c", "....", "1.%.1.é"])
    func whatIsNoCookieIsNobodys(value: String) { #expect(person(value, [ann]) == nil) }
}
