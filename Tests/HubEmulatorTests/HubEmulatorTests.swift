import Foundation
import Signing
import Testing

@testable import HubEmulator

@Suite struct HubEmulatorTests {
    /// The example in the comment of `HubEmulator`, with a sender that uses nothing but the connection string.
    @Test func theExampleInItsCommentWorks() async throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
        let port = try await emulator.start()
        let template = #"{"aps":{"alert":"$(message)"}}"#
        let phone = Installation("phone", pushChannel: .handle("00FC13AD"), tags: ["World"], templates: ["t": template])
        try emulator.register(phone, at: "news")
        let connection = emulator.connectionString(for: "news")

        let parsed = try ConnectionString(parsing: try #require(connection).reveal())
        let token = SAS.token(
            resource: parsed.base + "/news", keyName: parsed.keyName, key: parsed.key,
            expiry: Int64(Date().timeIntervalSince1970) + 60)
        let fixture = EmulatorFixture(emulator: emulator, port: port)
        let headers = ["ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World"]
        _ = try await fixture.exchange(
            fixture.request(token: token.header.reveal(), headers: headers, body: #"{"message": "Hello"}"#))

        try await emulator.wait(untilTaken: 1)
        let status = emulator.journal()[0].status
        let text = try emulator.inbox(of: "phone", at: "news")[0].alert?.body
        await emulator.stop()
        #expect(status == 201)
        #expect(text == "Hello")
    }

    @Test func theConnectionStringIsAllASenderNeeds() async throws {
        try await EmulatorFixture.run { fixture in
            let text = try #require(fixture.emulator.connectionString(for: "News", policy: "all"))
            let connection = try ConnectionString(parsing: text.reveal())
            #expect(connection.base == "http://127.0.0.1:\(fixture.port)")
            #expect(connection.keyName == "all")
            let token = SAS.token(
                resource: connection.base + "/news", keyName: connection.keyName, key: connection.key,
                expiry: Int64(EmulatorFixture.now) + 60)
            #expect(try await fixture.exchange(fixture.request(token: token.header.reveal(), body: "{}")).status == 201)
            #expect(fixture.emulator.connectionString(for: "nowhere") == nil)
            #expect(fixture.emulator.connectionString(for: "news", policy: "nobody") == nil)
            #expect("\(text)" == "•••")
        }
    }

    @Test func theSettingsLimitTheConnections() async throws {
        try await EmulatorFixture.run({ $0.maximumConnections = 1 }) { fixture in
            let first = try fixture.client()
            try await first.write(fixture.send(to: "World"))
            #expect(try await first.reply().status == 201)
            await #expect(throws: Client.Failure.self) { try await fixture.exchange(fixture.send(to: "World")) }
            try await first.write(fixture.send(to: "World"))
            #expect(try await first.reply().status == 201)
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

    /// Stopping while a connection was being made once crashed the process.
    @Test func stopSurvivesConnectionsInTheMaking() async throws {
        for _ in 0..<40 {
            let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
            let port = try await emulator.start()
            let clients = try (0..<4).map { _ in try Client(port: port) }
            await emulator.stop()
            for client in clients { _ = await client.ending() }
        }
    }

    @Test func itStartsOnlyOnce() async throws {
        try await EmulatorFixture.run { fixture in
            await #expect(throws: EmulatorError.self) { _ = try await fixture.emulator.start() }
            var settings = EmulatorSettings(hubs: [.init("news")])
            settings.port = fixture.port
            let second = try HubEmulator(settings)
            let error = await #expect(throws: EmulatorError.self) { _ = try await second.start() }
            #expect(error?.description == "cannot listen on 127.0.0.1:\(fixture.port): address already in use")
        }
    }

    @Test func invalidHubsAreRefused() {
        for hubs in [
            [EmulatorSettings.Hub("")], [.init("_emulator")], [.init("a b")], [.init("é")],
            [.init(String(repeating: "x", count: 261))], [.init("a"), .init("A")], [.init("a", policies: [])],
        ] {
            #expect(throws: EmulatorError.self) { try HubEmulator(EmulatorSettings(hubs: hubs)) }
        }
    }

    @Test func unknownHubsAreReported() throws {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))
        #expect(throws: EmulatorError("there is no hub sports")) { try emulator.inbox(of: "i", at: "sports") }
        #expect(throws: EmulatorError("there is no hub sports")) {
            try emulator.add(Fault(.every(1), hub: "sports", status: 500))
        }
    }
}
