import Foundation
import Glibc
import HTTPTransport
import Signing
import Testing

@testable import HubEmulator

/// TLS as a libcurl client meets it.
@Suite struct TLSTests {
    /// - Parameter body: gets the emulator and the path of its authority's certificate.
    private func serve(
        _ names: [String] = [], _ change: (inout EmulatorSettings) -> Void = { _ in },
        _ body: (Bench, String) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem").path
        defer { unlink(file) }
        try await Bench.run({
            $0.tls = .init(names: names, caFile: file)
            change(&$0)
        }) { bench in try await body(bench, file) }
    }

    private func send(_ bench: Bench, trusting authority: String?, host: String = "127.0.0.1") async throws -> Reply {
        let port = try #require(bench.emulator.securePort)
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(60)  // on a machine with other work
        if let authority { settings.caBundle = authority }
        let loop = try HTTPClient(settings)
        let url = "https://\(host):\(port)/news"
        let token = SAS.token(
            resource: url, keyName: "sender", key: Secret(Bench.key), expiry: Int64(Bench.now) + 60)
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

    @Test func whoTrustsTheAuthorityIsServedAndNobodyElse() async throws {
        try await serve { bench, authority in
            let reply = try await send(bench, trusting: authority)
            guard case .answered(let response) = reply.outcome else {
                Issue.record("\(reply.outcome)")
                return
            }
            #expect(response.status == 201)
            let port = try #require(bench.emulator.securePort)
            #expect(response["location"]?.hasPrefix("https://127.0.0.1:\(port)/news/messages/") == true)

            guard case .notSent(let fault) = try await send(bench, trusting: nil).outcome else {
                Issue.record("sent to a stranger")
                return
            }
            #expect(fault.code == 60)
            #expect(bench.emulator.count() == JournalCount(taken: 1, statuses: [201: 1]))
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)  // plain HTTP beside it
        }
    }

    @Test func theAuthorityOfAnotherEmulatorIsNotTrusted() async throws {
        try await serve { _, other in
            try await serve { bench, _ in
                guard case .notSent(let fault) = try await send(bench, trusting: other).outcome else {
                    Issue.record("sent to a stranger")
                    return
                }
                #expect(fault.code == 60)
            }
        }
    }

    @Test func theConnectionStringLeadsToTLS() async throws {
        try await serve { bench, _ in
            let text = try #require(bench.emulator.secureConnectionString(for: "news"))
            let parsed = try ConnectionString(parsing: text.reveal())
            let port = try #require(bench.emulator.securePort)
            #expect(parsed.base == "https://127.0.0.1:\(port)")
        }
    }

    @Test func theFileIsForAllToReadAndHoldsNoKey() async throws {
        try await serve { bench, authority in
            let text = try String(contentsOfFile: authority, encoding: .utf8)
            #expect(text == bench.emulator.certificateAuthority)
            #expect(!text.contains("PRIVATE"))
            let attributes = try FileManager.default.attributesOfItem(atPath: authority)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test func aFileThatCannotBeWrittenIsSaidAtTheStart() async throws {
        let error = await #expect(throws: EmulatorError.self) {
            try await Bench.run({ $0.tls = .init(caFile: "/nowhere/ca.pem") }) { _ in }
        }
        #expect(error?.description == "cannot write /nowhere/ca.pem: No such file or directory")
    }

    /// Neither may hold a place for ever.
    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "\u{16}\u{3}\u{1}"])
    func whoSpeaksNoTLSIsLetGo(beginning: String) async throws {
        try await serve([], { $0.idleSeconds = 1 }) { bench, _ in
            let client = try Client(port: try #require(bench.emulator.securePort))
            try await client.write(beginning)
            #expect(await client.ending() != .broken(EAGAIN))
        }
    }

    @Test func aHandshakeThatTricklesIsEnded() async throws {
        try await serve([], { $0.idleSeconds = 1 }) { bench, _ in
            let client = try Client(port: try #require(bench.emulator.securePort))
            // A record of 512 bytes is announced, and comes byte by byte.
            try await client.write([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
            let writing = Task {
                for _ in 0..<1_000 {
                    guard (try? await client.write([0])) != nil else { return }
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
            #expect(await client.ending() != .broken(EAGAIN))
            writing.cancel()
        }
    }

    @Test func aResetReachesTheClientThroughTLS() async throws {
        try await serve { bench, authority in
            var fault = Fault(.nth(1), closing: .afterBody)
            fault.reset = true
            try bench.emulator.add(fault)
            let outcome = try await send(bench, trusting: authority).outcome
            guard case .unknown = outcome else {
                Issue.record("no reset: \(outcome)")
                return
            }
        }
    }

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
