import Testing

@testable import PushModel

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.5", "10.0.0.5", "10.0.0.4"), ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
        ("10.128.0.0/9", "10.128.0.0", "10.127.255.255"), ("192.168.7.8/31", "192.168.7.9", "192.168.7.10"),
        ("::1", "::1", "::2"), ("fd00::/8", "fdff::1", "fc00::1"),
        ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"),
        ("128.0.0.0/1", "255.0.0.1", "127.0.0.1"),
    ])
    func aRangeHasItsAddressesAlone(text: String, inside: String, outside: String) throws {
        let range = try #require(AddressRange(text))
        #expect(range.contains(inside))
        #expect(!range.contains(outside))
        #expect(range.description == text)
    }

    @Test(arguments: ["10.0.0.5", "::ffff:10.0.0.5", "10.0.0.5/32", "::ffff:10.0.0.5/128", "::ffff:a00:5"])
    func anAddressInIPv6IsTheSame(text: String) throws {
        let range = try #require(AddressRange(text))
        #expect(range.description == "10.0.0.5")
        #expect(range.contains("10.0.0.5") && range.contains("::ffff:10.0.0.5"))
        #expect(!range.contains("::10.0.0.5") && !range.contains("10.0.0.6"))
    }

    @Test func theZoneOfAnAddressDoesNotCount() throws {
        #expect(try #require(AddressRange("fe80::/10")).contains("fe80::1%eth0"))
    }

    @Test(arguments: ["", "localhost", "10.0.0.5x", "10.0.0.5\u{0}x", "fdff::1, ::1", "10.1", "0x0a.0.0.5"])
    func whatIsNoAddressIsInNoRange(address: String) throws {
        #expect(!(try #require(AddressRange("10.0.0.0/8")).contains(address)))
        #expect(!(try #require(AddressRange("fd00::/8")).contains(address)))
    }

    @Test(arguments: [
        "", "/", "/8", "proxy", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8/8",
        "10.0.0.5/8", "fd00::1/8", "::/129", "[::1]", "10.0.0.5:80", "fe80::1%eth0", " 10.0.0.5", "10.0.0.5 ",
        "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96", "::ffff:0.0.0.0/80", "10.0.0.0/٨",
    ])
    func anotherTextIsNoRange(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
