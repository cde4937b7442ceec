import Testing

@testable import HubEmulator

@Suite struct BindPolicyTests {
    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.1", "128.0.0.1"])
    func plainHTTPStaysOnLoopback(host: String) throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.host = host
        #expect(throws: EmulatorError.self) { try BindPolicy(settings) }
        settings.tls = .init()
        #expect(try BindPolicy(settings).plainHost == "127.0.0.1")
        #expect(try BindPolicy(settings).secureHost == host)
        settings.allowsPlainBeyondLoopback = true
        #expect(try BindPolicy(settings).plainHost == host)
        settings.tls = nil
        #expect(try BindPolicy(settings).secureHost == nil)
    }
}
