import Foundation
import ProgramSupport
import Store
import TestSupport
import Testing

/// A roll-out: the schema is migrated by a newer build while this one works.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UpgradeJourneyTests {
    private static let knows = Schema.release
    private static let notice =
        "the schema is of release \(knows + 1), newer than this fanfare knows (\(knows)); it works from release \(knows) on"

    /// What `migrate up` of a newer build leaves behind.
    private static func upgrade(worksFrom: Int32) -> String {
        "INSERT INTO push.release (release, works_from) VALUES (\(knows + 1), \(worksFrom))"
    }

    @Test func workersOfThePreviousSchemaGoOnReloadAndStartBesideANewOne() async throws {
        let service = try await ServiceBench()
        let old = try await service.start()
        try await service.enqueue(1...500)
        try await service.test.database.script(Self.upgrade(worksFrom: Self.knows))

        // The new one: it works with the schema as it is and asks nobody about versions.
        let new = try await TestWorker.make(on: service.test)
        async let drained = new.drain()
        try await service.enqueue(501...1500)
        try service.configure(hub: "new")
        await service.reload(old)
        let another = try await service.start(log: "another")
        try await service.enqueue(1501...2000)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 2000 }
        for run in [old, another] { run.signal(SIGTERM) }

        #expect(await old.ended == 0)
        #expect(await another.ended == 0)
        _ = try await drained
        #expect(try await service.test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
        #expect(try service.logged("reloading", "changed") == ["hubs.news.hub, hubs.news.connectionString"])
        #expect(try service.logged("not reloaded, the old settings stay", "problem") == [])
        // Once per start: the generation after the reload, and the other process.
        #expect(try service.logged(Self.notice, "level").count == 1)
        #expect(try service.logged(Self.notice, "level", in: "another").count == 1)
    }

    /// A balancer must not take all old workers out between `migrate up` and the last replaced binary.
    @Test func aWorkerStaysReadyWithANewerSchemaThatWorksWithIt() async throws {
        let service = try await ServiceBench()
        try service.configure(rest: #", "console": {"listen": "127.0.0.1:0"}"#)
        let run = try await service.start()
        let port = try HealthTests().port(of: service)
        while await Loopback.get("/readyz", port: port)?.status != 200 { await Task.yield() }

        try await service.test.database.script(Self.upgrade(worksFrom: Self.knows))
        let upgraded = ContinuousClock.now
        var isAskedAgain = false
        while !isAskedAgain {
            let ready = try #require(await Loopback.get("/readyz?verbose", port: port))
            #expect(ready.status == 200, "\(ready.body)")
            let ago = ready.body.firstMatch(of: /answered ([0-9.]+) s ago, with the right schema/).flatMap {
                Double($0.1)
            }
            // It is rounded to tenths.
            isAskedAgain = .seconds(try #require(ago) + 0.1) < upgraded.duration(to: .now)
            await Task.yield()
        }

        // One that it cannot work with is said, with both numbers.
        try await service.test.database.execute(
            "UPDATE push.release SET works_from = release WHERE release > \(Self.knows)")
        var refused = await Loopback.get("/readyz", port: port)
        while refused?.status == 200 {
            await Task.yield()
            refused = await Loopback.get("/readyz", port: port)
        }
        #expect(refused?.status == 503)
        #expect(
            refused?.body.contains("\(Self.knows + 1)") == true && refused?.body.contains("\(Self.knows)") == true,
            "\(refused?.body ?? "")")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    @Test func commandsGoOnWithANewerSchemaAndSayItOnce() async throws {
        let site = try await Site.make()
        try await site.execute(Self.upgrade(worksFrom: Self.knows))
        for command in [
            ["enqueue", "--hub", "news", "--tag", "World", "--property", "title=hi"], ["status"],
            ["hub", "pause", "news"], ["message", "list"], ["drain", "--max-runtime", "1"],
        ] {
            let ended = try await site.fanfare.run(command)
            #expect([0, 75].contains(ended.status), "\(command): \(ended.errors)")
            #expect(ended.errors.components(separatedBy: Self.notice).count == 2, "\(command): \(ended.errors)")
        }
        let up = try await site.fanfare("migrate", "up")
        #expect(up.status == 0)
        #expect(up.output.contains("\(Self.notice): nothing to do"), "\(up.output)")
        #expect(try await site.fanfare("migrate", "verify").status == 0)
        let document = try await site.fanfare("migrate", "status", "--json").json([String: Any].self)
        #expect(document["standing"] as? String == "newer")
        #expect(document["works_from"] as? Int == Int(Self.knows))
    }

    @Test func aSchemaThatNeedsANewerFanfareIsRefusedWithBothNumbers() async throws {
        let site = try await Site.make()
        try await site.execute(Self.upgrade(worksFrom: Self.knows + 1))
        for command in [
            ["migrate", "up"], ["status"], ["hub", "pause", "news"], ["drain", "--max-runtime", "1"], ["run"],
        ] {
            let ended = try await site.fanfare.run(command)
            #expect(ended.status == 78, "\(command)")
            #expect(ended.errors.contains("upgrade fanfare"), "\(command): \(ended.errors)")
            #expect(ended.errors.contains("\(Self.knows + 1)") && ended.errors.contains("knows \(Self.knows)"))
        }
        let document = try await site.fanfare("migrate", "status", "--json").json([String: Any].self)
        #expect(document["standing"] as? String == "too_new")
    }
}
