import Testing

@testable import PushModel

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::ffff:c000:201", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"),
    ])
    func anAddressHasOneForm(text: String, form: String) throws {
        #expect(try #require(IPAddress(text)).description == form)
    }

    @Test(arguments: [
        "", "localhost", "192.0.2", "192.0.2.256", "192.0.2.1:80", "[::1]", "::1%lo", "127.1", "0x7f.0.0.1",
        " 127.0.0.1",
        "127.0.0.1\0.evil.example", "::１",
    ])
    func whatIsNoAddressIsNone(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::", false), ("::2", false), ("1::1", false),
    ])
    func theLoopbackIsKnown(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }
}
