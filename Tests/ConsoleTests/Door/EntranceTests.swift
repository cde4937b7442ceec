import Pages
import PushModel
import Testing

@testable import Console

@Suite struct EntranceTests {
    private func status(
        _ host: String, listening: String = "127.0.0.1", from address: String = "192.0.2.7",
        _ fields: (String, String)...
    ) -> Int {
        let settings = DoorSettings(
            people: People([]), hosts: ["console.example", "pushes.example:8443", "inside"],
            proxies: [AddressRange("10.0.0.0/8")!])
        do throws(DoorRefusal) {
            _ = try settings.entrance(listening: listening).arrival(
                of: .of(.get, "/", host: host, fields), from: address)
            return 200
        } catch {
            return error.status
        }
    }

    @Test(arguments: [
        ("127.0.0.1:9470", 200), ("localhost", 200), ("[::1]:9470", 200), ("127.9.9.9", 200), ("console.example", 200),
        ("CONSOLE.example:443", 200), ("pushes.example:8443", 200), ("pushes.example", 421),
        ("pushes.example:8444", 421),
        ("inside", 200), ("outside", 421), ("192.168.0.7", 421), ("[2001:db8::1]", 421), ("evil.example", 421),
        ("", 421),
        ("127.0.0.1.evil.example", 421), ("127.0.0.1:80@evil.example", 421), ("console.example.", 421),
    ])
    func onlyNamesOfTheConsoleAreItsOwn(host: String, expected: Int) { #expect(status(host) == expected) }

    @Test func theAddressThatItListensOnIsItsOwn() {
        #expect(status("192.168.0.7:9470", listening: "192.168.0.7") == 200)
        #expect(status("192.168.0.8:9470", listening: "192.168.0.7") == 421)
        #expect(status("[2001:db8::1]:9470", listening: "2001:db8::1") == 200)
        // Where the emulator, which has no secrets, takes any name without a dot.
        #expect(status("outside", listening: "0.0.0.0") == 421)
    }

    /// A script of a site whose name leads here can write X-Forwarded-Host, but not Host.
    @Test func aProxyCannotVouchForAnotherHost() {
        #expect(status("evil.example", from: "10.0.0.1", ("X-Forwarded-Host", "console.example")) == 421)
        #expect(status("console.example", from: "10.0.0.1", ("X-Forwarded-Host", "evil.example")) == 421)
        #expect(status("127.0.0.1:9470", from: "10.0.0.1", ("X-Forwarded-Host", "console.example")) == 200)
    }

    @Test func aForgedHeaderIsRefused() {
        #expect(status("console.example", ("X-Forwarded-For", "10.0.0.1")) == 403)
    }
}
