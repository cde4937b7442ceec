import ProgramSupport
import Testing

/// A kind of hub is known in its own folders, and in the factory: everybody else has a provider and passes.
@Suite struct ServiceNamesTests {
    private static let floors = ["PushModel", "PushWorker", "Store", "HTTPTransport", "Daemon"]
    private static let factory = "Sources/Daemon/Hubs/"
    private static let names = [
        "SASToken", "HubTokens", "AccessTokens", "ProviderTokens", "CertificatePass", "ServiceAccount", "ProviderKey",
        "connectionString", "ConnectionString",
        "servicebus.windows.net", "googleapis.com", "push.apple.com",
    ]

    @Test(arguments: floors) func noFileNamesAServiceOrItsCredential(floor: String) throws {
        let files = Checkout.paths(in: ["Sources/\(floor)"]).filter {
            $0.hasSuffix(".swift") && !$0.hasPrefix(Self.factory)
        }
        #expect(files.count > 10)
        for file in files {
            let text = try Repository.text(file)
            for name in Self.names { #expect(!text.contains(name), "\(file) names \(name)") }
        }
    }

    @Test func theFactoryNamesThem() throws {
        let text = try Checkout.paths(in: ["Sources/Daemon/Hubs"]).map { try Repository.text($0) }.joined()
        #expect(text.contains("HubTokens") && text.contains("AccessTokens"))
    }
}
