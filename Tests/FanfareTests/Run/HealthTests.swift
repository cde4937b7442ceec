import ProgramSupport
import Foundation
import Glibc
import HubEmulator
import Testing

/// What a running worker says of itself at console.listen.
@Suite(.serialized) struct HealthTests {
    /// The port it says it listens on.
    func port(of service: ServiceBench) throws -> Int {
        let said = try service.scratch.read("log").firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/readyz/)
        return try #require(said.flatMap { Int($0.1) })
    }

    @Test func aWorkerIsReadyWhenItWorksAndNotWhileItStops() async throws {
        let service = try await ServiceBench()
        try service.configure(rest: #", "console": {"listen": "127.0.0.1:0"}"#)
        var slow = Fault(.nth(1), hub: "old")
        slow.delayMilliseconds = 60_000
        try service.emulator.add(slow)
        let run = try await service.start()
        let port = try port(of: service)

        while await Loopback.get("/readyz", port: port)?.status != 200 { await Task.yield() }
        for path in ["/livez", "/startupz", "/readyz?verbose"] {
            #expect(await Loopback.get(path, port: port)?.status == 200, "\(path)")
        }
        try await service.enqueue(1...1)
        try await service.emulator.untilStruck()
        run.signal(SIGTERM)
        await service.systemd.wait(for: "STOPPING=1")
        let stopping = await Loopback.get("/readyz", port: port)
        #expect(stopping?.status == 503 && stopping?.body == "stopping: claims nothing more\n")
        #expect(await Loopback.get("/livez", port: port)?.status == 200, "it is alive while it waits for answers")
        await service.emulator.stop()  // the answer it waits for will not come any more
        #expect(await run.ended == 0)
        #expect(await Loopback.get("/livez", port: port) == nil)
    }

    @Test func aWorkerWithoutItsDatabaseIsAliveAndNotReady() async throws {
        let service = try await ServiceBench()
        try service.configure(
            rest: #", "console": {"listen": "127.0.0.1:0"}"#, database: "host=127.0.0.1 port=1 password=hunter2")
        let run = try await service.start(until: "waiting for the database")
        let port = try port(of: service)
        #expect(await Loopback.get("/livez", port: port)?.status == 200)
        #expect(await Loopback.get("/startupz", port: port)?.body == "started: waits for its database\n")
        let ready = await Loopback.get("/readyz?verbose", port: port)
        #expect(ready?.status == 503 && ready?.body.contains(#""status":"failed""#) == true)
        #expect(ready?.body.contains("hunter2") == false)
        // Told to stop before it could begin, it does.
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    @Test func aTakenAddressIsAFaultWhenSomebodyChoseItAndAWarningWhenNot() async throws {
        let service = try await ServiceBench()
        try service.configure(rest: #", "console": {"listen": "127.0.0.1:0"}"#)
        let run = try await service.start()
        let port = try port(of: service)

        let other = try await ServiceBench()
        try other.configure(rest: #", "console": {"listen": "127.0.0.1:\#(port)"}"#)
        let ended = try await BuiltProgram(settings: other.scratch.path + "/config.json")("run")
        #expect(ended.status == 69)
        #expect(ended.errors.contains("cannot listen on 127.0.0.1:\(port)"), "\(ended.errors)")
        #expect(ended.errors.contains("hint: Set console.listen"))
        run.signal(SIGTERM)
        #expect(await run.ended == 0)

        // The default address belongs to one of them at most; both work.
        let (one, two) = (try await ServiceBench(), try await ServiceBench())
        let (first, second) = (try await one.start(), try await two.start())
        let warnings = try [one, two].flatMap { try $0.logged("cannot serve health pages", "hint") }
        #expect(!warnings.isEmpty)
        for run in [first, second] {
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
        }
    }

    /// Not health itself, but what keeps a site healthy: nobody else forgets keys.
    @Test func aWorkerForgetsKeysBeyondTheirTime() async throws {
        let service = try await ServiceBench()
        let first = try await service.start()
        first.signal(SIGTERM)
        #expect(await first.ended == 0)
        try await service.test.database.execute(
            """
            INSERT INTO push.dedupe (id, at, hub, key)
            SELECT 1, now() - interval '1 year', id, 'old' FROM push.hub UNION ALL
            SELECT 2, now(), id, 'new' FROM push.hub
            """)
        let second = try await service.start()
        try await service.until("SELECT count(*) FROM push.dedupe") { $0 == 1 }
        second.signal(SIGTERM)
        #expect(await second.ended == 0)
        #expect(try await service.test.texts("SELECT key FROM push.dedupe") == ["new"])
    }
}
