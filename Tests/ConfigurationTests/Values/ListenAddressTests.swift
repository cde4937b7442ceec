import Testing

@testable import Configuration

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1", 9464), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
        ("0.0.0.0:80", "0.0.0.0", 80), ("[::]:80", "::", 80),
    ])
    func anAddressIsHostAndPort(text: String, host: String, port: Int) {
        #expect(ListenAddress(text) == ListenAddress(host: host, port: port))
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", "9464", ":9464", "host", "host:", "host:65536", "host:-1", "host:+1", "host:1x", "::1:80", "[]:80",
        "[x]:80",
        "http://host:80", "a b:80",
    ])
    func anythingElseIsNotAnAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
