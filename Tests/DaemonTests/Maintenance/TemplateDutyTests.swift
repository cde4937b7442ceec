import Logging
import PushModel
import Store
import TestSupport
import Testing

@testable import Daemon

/// Backends that register by SQL need to do nothing: a worker finds the templates of their devices.
@Suite(.timeLimit(.minutes(10))) struct TemplateDutyTests {
    @Test func aRoundKeepsWhatChangedSinceTheLastOne() async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let templates = DeviceTemplates(database: test.database)
        // With the rights of a worker alone.
        let own = try await test.login(as: "push_worker")
        let duty = TemplateDuty(
            templates: DeviceTemplates(database: own.database),
            log: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        try await duty.look()
        #expect(try await templates.entries(hub: nil) == [])
        func put(_ device: String, _ body: String) async throws {
            _ = try await test.number(
                """
                SELECT push.put_device('news', \(device), 'apns', '00FC13AD',
                                       json_build_object('t', json_build_object('body', \(body)::text))::text)
                """)
        }
        func known() async throws -> [String] {
            try await templates.entries(hub: "news").map { "\($0.template.body) \($0.template.devices) of \($0.of)" }
        }
        try await put("a", #"{"a":1}"#)
        try await put("b", #"{ "a" : 1 }"#)
        try await duty.look()
        #expect(try await known() == [#"{"a":1} 2 of 2"#])
        // Nothing has changed: a row that somebody spoils stays so.
        try await test.database.execute("UPDATE push.device_template SET devices = 1")
        try await duty.look()
        #expect(try await known() == [#"{"a":1} 1 of 2"#])
        try await put("c", #"{"b":2}"#)
        try await duty.look()
        #expect(try await known() == [#"{"a":1} 2 of 3"#, #"{"b":2} 1 of 3"#])
    }

    @Test func whileAnotherWorkerIsAtItNothingIsWritten() async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let duty = TemplateDuty(
            templates: DeviceTemplates(database: test.another()),
            log: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        _ = try await test.number(
            #"SELECT push.put_device('news', 'a', 'apns', '00FC13AD', '{"t": {"body": "{}"}}'::text)"#)
        try await test.database.withTransaction { connection in
            try await connection.execute("SELECT FROM push.lock WHERE name = 'templates' FOR UPDATE")
            try await duty.look()
        }
        #expect(try await test.number("SELECT count(*) FROM push.device_template") == 0)
    }
}
