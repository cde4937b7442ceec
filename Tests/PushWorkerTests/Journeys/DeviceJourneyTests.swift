import HubEmulator
import Postgres
import PushModel
import PushWorker
import Signing
import Store
import TestSupport
import Testing

/// Devices by SQL, from the call to the hub.
@Suite(.timeLimit(.minutes(10))) struct DeviceJourneyTests {
    private func put(_ worker: TestWorker, _ device: String, tags: String = "{World}") async throws {
        try await worker.test.database.execute(
            """
            SELECT push.put_device('news', \(device), 'apns', '00FC13AD', tags => \(tags)::text[],
                                   templates => '{"news": {"body": "{\\"aps\\":{\\"alert\\":\\"$(title_French)\\"}}"}}')
            """)
    }

    private func statuses(_ worker: TestWorker) async throws -> [String] {
        try await worker.test.texts(
            "SELECT concat_ws(' ', action, status, http, note) FROM push.device_status ORDER BY id")
    }

    @Test func aRegisteredDeviceGetsWhatIsSentToItsTag() async throws {
        let worker = try await TestWorker.make()
        try await put(worker, "phone-17", tags: "{World,user:17}")
        let summary = try await worker.drain()
        #expect(summary.devices.applied == 1)
        #expect(try await statuses(worker) == ["put applied 200"])
        #expect(try worker.emulator.installation("phone-17", at: "breaking-news")?.tags == ["World", "user:17"])

        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content)
            VALUES ('news', 'user:17', 'en', '{"title": "Hello"}'), ('news', 'user:17', 'fr', '{"title": "Bonjour"}')
            """)
        try await worker.drain()
        let inbox = try worker.emulator.inbox(of: "phone-17", at: "breaking-news")
        #expect(inbox.map { String(describing: $0).contains("Bonjour") } == [true])
    }

    /// Whatever the reason: the hub must not be asked again for each time that the database refuses.
    @Test func whatCannotBeRecordedIsNotPutAgain() async throws {
        var worker = try await TestWorker.make()
        let log = LogRecorder()
        worker.log = log.logger
        try await worker.test.database.script(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE 'cannot delete from table "due" because it does not have a replica identity' USING ERRCODE = '55000';
            END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON push.installation_result FOR EACH ROW EXECUTE FUNCTION refuse();
            """)
        for n in 1...5 { try await put(worker, "phone-\(n)") }
        try await worker.whileWorking { [worker] _ in
            try await Awaited.until("the third try") {
                let tries = log.fields(of: "cannot record changes of devices").compactMap { $0["tries"] }
                return (tries.joined(separator: " "), tries.contains("3"))
            }
            try await worker.test.database.execute("DROP TRIGGER refuse ON push.installation_result")
            try await worker.until("SELECT count(*) FROM push.device_status WHERE status = 'applied'") { $0 == 5 }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.installation_result") == 5)
    }

    @Test func aPatchChangesADeviceAndADropRemovesIt() async throws {
        let worker = try await TestWorker.make()
        try await put(worker, "phone")
        try await worker.drain()
        try await worker.test.database.execute(
            "SELECT push.patch_device('news', 'phone', add_tags => '{Science}', remove_tags => '{World}')")
        try await worker.drain()
        #expect(try worker.emulator.installation("phone", at: "breaking-news")?.tags == ["Science"])
        try await worker.test.database.execute("SELECT push.drop_device('news', 'phone')")
        try await worker.drain()
        #expect(try worker.emulator.devices(at: "breaking-news") == [])
        #expect(try await statuses(worker) == ["put applied 200", "patch applied 200", "drop applied 204"])
    }

    @Test func whatALaterChangeReplacesIsNotSent() async throws {
        let worker = try await TestWorker.make()
        for tag in ["a", "b", "c"] { try await put(worker, "phone", tags: "{\(tag)}") }
        for tag in ["d", "e"] {
            try await worker.test.database.execute(
                "SELECT push.patch_device('news', 'phone', add_tags => ARRAY[\(tag)])")
        }
        let summary = try await worker.drain()
        #expect(summary.devices.superseded == 2)
        #expect(summary.devices.applied == 3)
        #expect(try worker.emulator.installation("phone", at: "breaking-news")?.tags == ["c", "d", "e"])
        #expect(
            try await statuses(worker).map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "put superseded", "put superseded", "put applied", "patch applied", "patch applied",
            ])
    }

    @Test func aPatchOfADeviceThatTheHubDoesNotHaveIsRefused() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute("SELECT push.patch_device('news', 'ghost', add_tags => '{a}')")
        let summary = try await worker.drain()
        #expect(summary.devices.refused == 1)
        #expect(try await statuses(worker) == ["patch refused 404 no such installation"])
    }

    @Test func throttledDevicesDoNotKeepMessages() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.next(1), status: 429)
        fault.operations = [.installation]
        fault.retryAfter = .seconds(600)
        try worker.emulator.add(fault)
        try await put(worker, "phone")
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_state WHERE devices_until > now() + interval '9 min'")
            try await worker.enqueue(3)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
        }
        #expect(
            try await worker.test.texts("SELECT state || ' ' || due + later FROM push.device_backlog") == ["closed 1"])
        try await worker.test.database.execute("SELECT push.resume_hub('news')")
        try await worker.test.database.execute("UPDATE push.installation_due SET due_at = now()")
        try await worker.drain()
        #expect(try worker.emulator.devices(at: "breaking-news") == ["phone"])
    }

    @Test func aKeyWithoutListenHoldsDevicesAndNoMessage() async throws {
        var worker = try await TestWorker.make()
        worker.settings.probeSeconds = 600
        try worker.emulator.add(Self.refused(401))
        let working = worker
        try await worker.whileWorking { _ in
            try await working.enqueue(1)
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
            try await put(working, "phone")
            try await working.until("SELECT count(*) FROM push.hub_state WHERE devices_until > now()")
            try await working.enqueue(3)
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 4 }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE held_since IS NOT NULL") == 0)
        #expect(
            try await worker.test.texts("SELECT devices_why FROM push.hub_state").allSatisfy {
                $0.contains("needs the right Listen")
            })
    }

    private static func refused(_ status: Int) -> Fault {
        var fault = Fault(.every(1), status: status)
        fault.operations = [.installation]
        return fault
    }

    @Test func aDeviceThatAloneFailsIsRefusedAfterTenAttempts() async throws {
        var worker = try await TestWorker.make()
        worker.settings.backoff = Backoff(base: 0.001, cap: 0.01)
        var fault = Fault(.every(2), status: 503)
        fault.operations = [.installation]
        try worker.emulator.add(fault)
        for n in 1...30 { try await put(worker, "phone-\(n)") }
        try await worker.drain()
        #expect(try worker.emulator.devices(at: "breaking-news").count == 30)
        #expect(try await worker.test.number("SELECT count(*) FROM push.lost_changes") == 0)
    }

    @Test func aRolledBackTransactionLeavesNoChange() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.script(
            "BEGIN; SELECT push.put_device('news', 'phone', 'apns', '00'); ROLLBACK;")
        #expect(try await worker.test.number("SELECT count(*) FROM push.installation_change") == 0)
        #expect(try await worker.drain().devices == DeviceCounts())
        #expect(try worker.emulator.devices(at: "breaking-news") == [])
    }

    @Test func whatADeadWorkerHeldIsAppliedByAnother() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        for n in 1...5 { try await put(worker, "phone-\(n)") }
        let dead = try await Workers(database: worker.test.database).register(
            name: "dead", version: "test", leaseSeconds: 1
        ).id
        let queue = DeviceQueue(database: worker.test.database, worker: dead)
        #expect(try await queue.claim(hub: 1, after: .start, limit: 3)?.devices.count == 3)
        let working = worker
        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.installation_result WHERE status = 'applied'") {
                $0 == 5
            }
        }
        #expect(try worker.emulator.devices(at: "breaking-news").count == 5)
    }

    /// Two backends and two workers in any order: what the hub has at the end is what the last committed change says.
    @Test(arguments: 1...3) func whatTheHubHasIsWhatTheLastCommittedChangeSays(seed: UInt64) async throws {
        let worker = try await TestWorker.make()
        let devices = ["a", "b", "c"]
        let names = ["r", "s", "t", "u"]
        @Sendable func backend(_ seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            for _ in 0..<40 {
                let device = devices.randomElement(using: &random) ?? "a"
                let some = names.filter { _ in Bool.random(using: &random) }
                let others = names.filter { !some.contains($0) }
                switch Int.random(in: 0..<5, using: &random) {
                case 0: try await worker.test.database.execute("SELECT push.drop_device('news', \(device))")
                case 1, 2:
                    try await worker.test.database.execute(
                        "SELECT push.put_device('news', \(device), 'apns', '00', tags => \(some))")
                default:
                    do {
                        try await worker.test.database.execute(
                            "SELECT push.patch_device('news', \(device), add_tags => \(some), remove_tags => \(others))"
                        )
                    } catch {
                        guard error.is(.objectNotInPrerequisiteState) else { throw error }  // it was dropped
                    }
                }
            }
        }
        try await worker.whileWorking { _ in
            try await worker.whileWorking { _ in
                async let first: Void = backend(seed * 2)
                async let second: Void = backend(seed * 2 + 1)
                _ = try await (first, second)
                try await worker.until("SELECT count(*) FROM push.installation_due") { $0 == 0 }
            }
        }
        for device in devices {
            let wanted = try await tags(of: device, in: worker)
            let found = try worker.emulator.installation(device, at: "breaking-news").map { Set($0.tags ?? []) }
            #expect(found == wanted, "\(device)")
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.lost_changes") == 0)
    }

    /// By the committed changes, in the order of their ids; nil: there is no such device.
    private func tags(of device: String, in worker: TestWorker) async throws -> Set<String>? {
        let changes = try await worker.test.texts(
            """
            SELECT concat_ws('|', action,
                             (SELECT string_agg(t, ',') FROM json_array_elements_text(
                                  CASE action WHEN 'put' THEN document -> 'tags'
                                              WHEN 'patch' THEN document -> 'add_tags' ELSE '[]' END) t),
                             '-', (SELECT string_agg(t, ',') FROM json_array_elements_text(
                                  CASE action WHEN 'patch' THEN document -> 'remove_tags' ELSE '[]' END) t))
              FROM push.installation_change WHERE device = \(device) ORDER BY id
            """)
        var tags: Set<String>?
        for change in changes {
            let parts = change.split(separator: "|").map(String.init)
            let dash = parts.firstIndex(of: "-") ?? parts.count
            let added = parts[1..<dash].flatMap { $0.split(separator: ",").map(String.init) }
            let removed = parts[min(dash + 1, parts.count)...].flatMap { $0.split(separator: ",").map(String.init) }
            switch parts[0] {
            case "put": tags = Set(added)
            case "drop": tags = nil
            default: tags = tags.map { $0.subtracting(removed).union(added) }
            }
        }
        return tags
    }
}
