import Foundation
import Glibc
import HTTPTransport
import Signing
import Testing

@testable import HubEmulator

/// The emulator over TLS, with libcurl as the client.
@Suite struct TLSTests {
    private func send(_ fixture: EmulatorFixture, trusting authority: String?, host: String = "127.0.0.1") async throws
        -> Reply
    {
        let port = try #require(fixture.emulator.securePort)
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(60)  // on a machine with other work
        if let authority { settings.caBundle = authority }
        let loop = try HTTPClient(settings)
        let url = "https://\(host):\(port)/news"
        let token = SAS.token(
            resource: url, keyName: "sender", key: Secret(EmulatorFixture.key), expiry: Int64(EmulatorFixture.now) + 60)
        let request = Request(
            id: 1, method: .post, url: url + "/messages?api-version=2020-06", shared: SharedHeaders([]),
            headers: [
                try HeaderLine("Authorization", token.header.reveal()),
                try HeaderLine("ServiceBusNotification-Format", "template"),
                try HeaderLine("Content-Type", "application/json;charset=utf-8"),
            ], body: Array("{}".utf8))
        let reply = await loop.perform(request)
        await loop.shutdown()
        return reply
    }

    @Test func onlyClientsThatTrustTheAuthoritySend() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            let reply = try await send(fixture, trusting: authority)
            guard case .answered(let response) = reply.outcome else {
                Issue.record("\(reply.outcome)")
                return
            }
            #expect(response.status == 201)
            let port = try #require(fixture.emulator.securePort)
            #expect(response["location"]?.hasPrefix("https://127.0.0.1:\(port)/news/messages/") == true)

            guard case .notSent(let fault) = try await send(fixture, trusting: nil).outcome else {
                Issue.record("sent without trust")
                return
            }
            #expect(fault.code == 60)
            #expect(fixture.emulator.count() == JournalCount(taken: 1, statuses: [201: 1]))
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)  // plain HTTP beside it
        }
    }

    @Test func theAuthorityOfAnotherEmulatorIsNotTrusted() async throws {
        try await EmulatorFixture.runWithTLS { _, other in
            try await EmulatorFixture.runWithTLS { fixture, _ in
                guard case .notSent(let fault) = try await send(fixture, trusting: other).outcome else {
                    Issue.record("sent without trust")
                    return
                }
                #expect(fault.code == 60)
            }
        }
    }

    @Test func theSecureConnectionStringUsesTLS() async throws {
        try await EmulatorFixture.runWithTLS { fixture, _ in
            let text = try #require(fixture.emulator.secureConnectionString(for: "news"))
            let parsed = try ConnectionString(parsing: text.reveal())
            let port = try #require(fixture.emulator.securePort)
            #expect(parsed.base == "https://127.0.0.1:\(port)")
        }
    }

    @Test func theFileOfTheAuthorityIsReadableByAllAndHoldsNoKey() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            let text = try String(contentsOfFile: authority, encoding: .utf8)
            #expect(text == fixture.emulator.certificateAuthority)
            #expect(!text.contains("PRIVATE"))
            let attributes = try FileManager.default.attributesOfItem(atPath: authority)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test func aFileThatCannotBeWrittenFailsTheStart() async throws {
        let error = await #expect(throws: EmulatorError.self) {
            try await EmulatorFixture.run({ $0.tls = .init(caFile: "/nowhere/ca.pem") }) { _ in }
        }
        #expect(error?.description == "cannot write /nowhere/ca.pem: No such file or directory")
    }

    /// None may hold a connection for ever.
    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "\u{16}\u{3}\u{1}"])
    func aClientWithoutTLSIsClosed(beginning: String) async throws {
        try await EmulatorFixture.runWithTLS({ $0.idleSeconds = 1 }) { fixture, _ in
            let client = try Client(port: try #require(fixture.emulator.securePort))
            try await client.write(beginning)
            #expect(await client.ending() != .broken(EAGAIN))
        }
    }

    @Test func aTricklingHandshakeIsClosed() async throws {
        try await EmulatorFixture.runWithTLS({ $0.idleSeconds = 1 }) { fixture, _ in
            let client = try Client(port: try #require(fixture.emulator.securePort))
            // Announces a record of 512 bytes and sends it byte by byte.
            try await client.write([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
            let trickle = Task {
                for _ in 0..<1_000 {
                    guard (try? await client.write([0])) != nil else { return }
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
            #expect(await client.ending() != .broken(EAGAIN))
            trickle.cancel()
        }
    }

    @Test func withoutAProviderTheEmulatorDoesNotStart() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.tls = .init()
        let emulator = try HubEmulator(settings)
        let error = await #expect(throws: EmulatorError.self) { try await emulator.start() }
        #expect(error?.description.contains("give HubEmulator a TLSProvider") == true)
        await emulator.stop()
    }

    @Test func anInvalidNameFailsTheStart() async throws {
        let error = await #expect(throws: EmulatorError.self) {
            try await EmulatorFixture.run({ $0.tls = .init(names: ["a b"]) }) { _ in }
        }
        #expect(error?.description.hasPrefix("no TLS: a b is not a name") == true, "\(error?.description ?? "")")
    }

    @Test func aResetReachesTheClientThroughTLS() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            var fault = Fault(.nth(1), closing: .afterBody)
            fault.reset = true
            try fixture.emulator.add(fault)
            let outcome = try await send(fixture, trusting: authority).outcome
            guard case .unknown = outcome else {
                Issue.record("no reset: \(outcome)")
                return
            }
        }
    }
}
