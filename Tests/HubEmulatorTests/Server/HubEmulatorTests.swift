import Signing
import Testing

@testable import HubEmulator

@Suite struct HubEmulatorTests {
    @Test func itsConnectionStringIsAllASenderNeeds() async throws {
        try await Bench.run { bench in
            let text = try #require(bench.emulator.connectionString(for: "News", policy: "all"))
            let connection = try ConnectionString(parsing: text.reveal())
            #expect(connection.base == "http://127.0.0.1:\(bench.port)")
            #expect(connection.keyName == "all")
            let token = SAS.token(
                resource: connection.base + "/news", keyName: connection.keyName, key: connection.key,
                expiry: Int64(Bench.now) + 60)
            #expect(try await bench.exchange(bench.request(token: token.header.reveal(), body: "{}")).status == 201)
            #expect(bench.emulator.connectionString(for: "nowhere") == nil)
            #expect(bench.emulator.connectionString(for: "news", policy: "nobody") == nil)
            #expect("\(text)" == "•••")
        }
    }

    @Test func stopFreesThePortAndDropsIdleConnections() async throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
        let port = try await emulator.start()
        let idle = try Client(port: port)
        try await idle.write("GET /_emulator/warnings HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await idle.reply().status == 200)
        await emulator.stop()
        #expect(await idle.ending() == .ended)
        #expect(throws: Client.Failure.cannotConnect) { try Client(port: port) }
        #expect(emulator.port == nil)
        #expect(emulator.connectionString(for: "news") == nil)
        await emulator.stop()
    }

    /// A connection that is only just being made when the emulator stops once ended the process.
    @Test func stopSurvivesConnectionsThatAreBeingMade() async throws {
        for _ in 0..<40 {
            let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
            let port = try await emulator.start()
            let clients = try (0..<4).map { _ in try Client(port: port) }
            await emulator.stop()
            for client in clients { _ = await client.ending() }
        }
    }

    @Test func itStartsOnce() async throws {
        try await Bench.run { bench in
            await #expect(throws: EmulatorError.self) { _ = try await bench.emulator.start() }
            var settings = EmulatorSettings(hubs: [.init("news")])
            settings.port = bench.port
            let second = try HubEmulator(settings)
            let error = await #expect(throws: EmulatorError.self) { _ = try await second.start() }
            #expect(error?.description.hasPrefix("cannot listen on 127.0.0.1:\(bench.port): ") == true)
        }
    }

    @Test func hubsThatCannotBeAreRefused() {
        for hubs in [
            [EmulatorSettings.Hub("")], [.init("_emulator")], [.init("a b")], [.init("é")],
            [.init(String(repeating: "x", count: 261))], [.init("a"), .init("A")], [.init("a", policies: [])],
        ] {
            #expect(throws: EmulatorError.self) { try HubEmulator(EmulatorSettings(hubs: hubs)) }
        }
    }

    @Test func unknownHubsAreNamed() throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
        #expect(throws: EmulatorError("there is no hub sports")) { try emulator.inbox(of: "i", at: "sports") }
        #expect(throws: EmulatorError("there is no hub sports")) {
            try emulator.add(Fault(.every(1), hub: "sports", status: 500))
        }
    }
}
