import Daemon
import ProgramSupport
import Foundation
import HTTPTransport
import HubEmulator
import Providers
import PushModel
import Signing
import Store
import TestSupport
import Testing
import VectorSupport

@testable import fanfare

/// `fanfare doctor` against a real database and a hub over real sockets.
@Suite struct DoctorTests {
    /// A database of its own and settings whose hub is the emulator in this process.
    private struct Patient {
        let site: Site
        let emulator: HubEmulator
        var fanfare: BuiltProgram

        /// - Parameters:
        ///   - key: what the settings sign with; nil: the emulator's own.
        ///   - ahead: seconds the emulator's clock is ahead of ours.
        ///   - port: where the settings look for the hub; nil: where it is.
        static func make(
            migrated: Bool? = true, hub: String = "breaking-news", policies: [SASPolicy]? = nil,
            key: (name: String, key: String)? = nil, ahead: Double = 0, port: Int? = nil
        ) async throws -> Patient {
            let site = try await Site.make(migrated: migrated)
            var settings = EmulatorSettings(hubs: [
                policies.map { .init("breaking-news", policies: $0) } ?? .init("breaking-news")
            ])
            settings.now = { Date().timeIntervalSince1970 + ahead }
            let emulator = try HubEmulator(settings, logger: TestWorker.quiet)
            let own = try await emulator.start()
            let name = key?.name ?? "emulator"
            let secret = key?.key ?? "ZW11bGF0b3I="
            let connection =
                "Endpoint=http://127.0.0.1:\(port ?? own)/;SharedAccessKeyName=\(name);SharedAccessKey=\(secret)"
            let text = """
                {"database": {"url": "\(site.url)"},
                 "hubs": {"news": {"hub": "\(hub)", "connectionString": "\(connection)"}}}
                """
            return Patient(
                site: site, emulator: emulator,
                fanfare: BuiltProgram(settings: try site.scratch.write(text, to: "doctor.json"), scratch: site.scratch))
        }

        /// What it found, by area and name.
        func findings() async throws -> (status: Int32, found: [String: [String: Any]]) {
            let ended = try await fanfare("doctor", "--json")
            let document = try ended.json([String: Any].self)
            let list = try #require(document["findings"] as? [[String: Any]])
            #expect(document["ok"] as? Bool == (ended.status == 0))
            let named = list.map { ("\($0["area"] ?? "")/\($0["name"] ?? "")", $0) }
            return (ended.status, Dictionary(named) { first, _ in first })
        }
    }

    @Test func aGoodInstallationIsFoundGood() async throws {
        let patient = try await Patient.make()
        let ended = try await patient.fanfare("doctor", "--deep")
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("primary key: accepted by http://127.0.0.1:"))
        #expect(ended.output.contains("lost messages: none"))
        #expect(ended.output.contains("lost changes: none"))
        #expect(ended.output.contains("time zones: the same here and in PostgreSQL, for two years"))
        #expect(!ended.output.contains("devices:"), "nobody registers devices: \(ended.output)")
        #expect(ended.output.contains("WARN alive: none"))
        #expect(ended.output.contains("-> Start one: fanfare run"))
        #expect(!ended.output.contains("FAIL"))
    }

    @Test func aWrongKeyIsFound() async throws {
        let patient = try await Patient.make(key: ("emulator", "bm90IHRoZSBrZXk="))
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        let key = try #require(found["hub news/primary key"])
        #expect(key["grade"] as? String == "fail")
        #expect((key["remedy"] as? String)?.contains("hubs.news.connectionString") == true)
    }

    @Test func aKeyThatMayOnlySendIsSaidToBeUnchecked() async throws {
        let send = SASPolicy(name: "send", key: Secret("c2VuZA=="), rights: [.send])
        let patient = try await Patient.make(policies: [send], key: ("send", "c2VuZA=="))
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        let key = try #require(found["hub news/primary key"])
        #expect(key["grade"] as? String == "warn")
        #expect((key["found"] as? String)?.hasPrefix("may only send, so it cannot be checked") == true)
    }

    /// A hub answers 403 with an empty body from 2020-06 on, and 401 with words before.
    @Test(arguments: [
        (403, "", "may only send"), (401, "Manage claim is required for this operation.", "may only send"),
        (403, "Manage claim is required for this operation.", "may only send"),
        (401, "InvalidSignature: The token has an invalid signature.", "refused"),
        (403, "The address is not allowed", "refused"),
        (403, "The quota is used up", "the hub's tier or quota"), (404, "No service is hosted", "there is no such hub"),
        (302, "", "another server answers at https://ns, perhaps a proxy: hub replied 302"),
        (501, "", "another server answers"), (407, "", "a proxy between here and https://ns asks for credentials"),
    ])
    func aMissingRightIsNotARefusedKey(status: Int, detail: String, found: String) throws {
        let text = "Endpoint=sb://ns/;SharedAccessKeyName=k;SharedAccessKey=aw=="
        let hub = try Installations(connection: try ConnectionString(parsing: text), hub: "news", version: "1")
        let body = detail.isEmpty ? "" : "<Error><Code>\(status)</Code><Detail>\(detail)</Detail></Error>"
        let reply = Reply(
            id: 1, outcome: .answered(.init(status: status, headers: [], body: Array(body.utf8))))
        let place = DoctorHubs.Place(
            area: "hub news", key: "primary key", base: "https://ns",
            remedies: HubRemedies(of: HubSettings(name: "news")))
        #expect(DoctorHubs.finding(hub.answer(to: reply).answer, reply, at: place).found.hasPrefix(found))
    }

    private func finding(_ outcome: Reply.Outcome, proxy: String? = nil) throws -> Finding {
        let text = "Endpoint=sb://ns/;SharedAccessKeyName=k;SharedAccessKey=aw=="
        let hub = try Installations(connection: try ConnectionString(parsing: text), hub: "news", version: "1")
        let reply = Reply(id: 1, outcome: outcome)
        let place = DoctorHubs.Place(
            area: "hub news", key: "primary key", base: "https://ns",
            remedies: HubRemedies(of: HubSettings(name: "news")),
            proxyVariable: proxy)
        return DoctorHubs.finding(hub.answer(to: reply).answer, reply, at: place)
    }

    @Test(arguments: ["certificate has expired", "certificate is not yet valid"])
    func theDatesOfACertificateAreNamed(words: String) throws {
        let found = try finding(.notSent(.init(code: 60, text: "SSL certificate problem: \(words)")))
        #expect(found.remedy == "Check the dates of the hub's certificate, and this machine's clock.")
        let other = try finding(.notSent(.init(code: 60, text: "SSL certificate problem: self-signed certificate")))
        #expect(other.remedy?.hasPrefix("Check ca-certificates") == true)
    }

    @Test func aPageOfAnotherServerIsNoHub() throws {
        let page = Reply.Response(status: 200, headers: [("content-type", "text/html")], body: Array("Log in".utf8))
        #expect(
            try finding(.answered(page)).found
                == "another server answers at https://ns, perhaps a proxy: hub replied 200 with a web page, as a proxy does"
        )
    }

    @Test func aProxyOfTheEnvironmentIsSaidToBeUnused() throws {
        let refused = Reply.Outcome.notSent(.init(code: 7, text: "could not connect"))
        #expect(
            try finding(refused, proxy: "https_proxy").remedy?.hasSuffix(
                "Fanfare does not use the proxy of https_proxy.") == true)
        #expect(try finding(refused).remedy?.contains("proxy") == false)
        #expect(DoctorHubs.proxyVariable(in: ["https_proxy": "", "ALL_PROXY": "http://p:1"]) == "ALL_PROXY")
        #expect(DoctorHubs.proxyVariable(in: ["http_proxy": "http://p:1"]) == nil)
    }

    @Test func aHubThatIsNotThereIsFound() async throws {
        let patient = try await Patient.make(hub: "old-news")
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect((found["hub news/primary key"]?["found"] as? String)?.hasPrefix("there is no such hub") == true)
    }

    @Test func aHubWhoseClockDiffersIsFound() async throws {
        let patient = try await Patient.make(ahead: 150)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect((found["hub news/clock"]?["found"] as? String) == "the hub is 2 min ahead of us")
    }

    @Test func aHubOutOfReachIsFound() async throws {
        // Nobody listens there. The port of an emulator that was stopped may be that of another test's by now.
        let patient = try await Patient.make(port: 9)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect((found["hub news/primary key"]?["found"] as? String)?.contains("is out of reach") == true)
        #expect(try await patient.fanfare("doctor", "--offline").status == 0)
    }

    @Test func aDatabaseWithoutSchemaIsFound() async throws {
        let patient = try await Patient.make(migrated: false)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect((found["database/schema"]?["found"] as? String)?.contains("fanfare migrate up") == true)
    }

    @Test func aDatabaseThatIsNotThereEndsWithUnavailable() async throws {
        let patient = try await Patient.make(migrated: nil)
        let (status, found) = try await patient.findings()
        #expect(status == 69)
        #expect(found["database/connection"]?["grade"] as? String == "fail")
        #expect(found["hub news/primary key"]?["grade"] as? String == "ok", "the hubs are looked at all the same")
    }

    @Test func whoeverKeepsAnOldSnapshotIsNamed() async throws {
        let patient = try await Patient.make()
        // Twenty minutes cannot be waited for: the view is given what it would show then.
        try await patient.site.execute(
            """
            CREATE OR REPLACE VIEW push.snapshot_holders AS
            SELECT 'session' AS kind, '4711' AS holder, 'report' AS who, 'psql' AS application, now() - interval '20 min' AS since,
                   interval '20 min' AS held, 12 AS transactions, 'SELECT pg_terminate_backend(4711)' AS remedy;
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        let snapshot = try #require(found["database/oldest snapshot"])
        #expect(
            snapshot["found"] as? String == "session 4711 (report, psql) keeps the queue's dead rows for 20 min")
        #expect(snapshot["remedy"] as? String == "SELECT pg_terminate_backend(4711).")
    }

    /// Schedules follow the time zones of this machine, local runs those of PostgreSQL.
    @Test func timeZonesThatAreNotPostgreSQLsAreFound() async throws {
        var patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        let zones = try ScratchDirectory()
        patient.fanfare.environment["TZDIR"] = zones.path
        var (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect(found["database/time zones"]?["found"] as? String == "there are no time zones in \(zones.path)")
        // Of old data: Tokyo's clocks are not Japan's, and Paris is missing.
        for (name, rules) in [("Etc/UTC", "UTC"), ("Asia/Tokyo", "UTC"), ("Asia/Seoul", "Asia/Seoul")] {
            try FileManager.default.createDirectory(
                at: zones.url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(rules)")).write(to: zones.url(name))
        }
        try await patient.site.execute(
            """
            SELECT push.create_campaign('spring', '{
                "hubs": ["news"], "audience": {"tags": ["World"]}, "content": {"": {"title": "Hello"}},
                "schedule": {"cron": "0 9 * * *", "zone": "Europe/Paris"}}')
            """)
        (status, found) = try await patient.findings()
        #expect(status == 0)
        let finding = try #require(found["database/time zones"])
        #expect(finding["grade"] as? String == "warn")
        let words = try #require(finding["found"] as? String)
        #expect(
            words.contains(
                /^there is no time zone Europe\/Paris here; Asia\/Tokyo at 20\d\d-\d\d-15T12:00:00Z: \+00:00 here, \+09:00 in PostgreSQL$/
            ), "\(words)")
        #expect((finding["remedy"] as? String)?.contains("restart PostgreSQL") == true)
    }

    @Test func aSchemaThatWasMadeFromAnotherTextIsFound() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            "UPDATE push.schema_file SET sha256 = repeat('0', 64) WHERE path = '0001_initial.sql'")
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        let schema = try #require(found["database/schema"]?["found"] as? String)
        #expect(schema.contains("0001_initial.sql was run from another text"))
    }

    @Test func aDatabaseThatTakesNoChangesIsFound() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            """
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                        EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect(found["database/writing"]?["found"] as? String == "transactions are read-only: workers wait")
        #expect(found["database/durability"]?["grade"] as? String == "warn")
    }

    /// It was once said to be a database out of reach.
    @Test(arguments: [true, false]) func aRoleWithoutRightsIsFound(mayReadTheSchema: Bool) async throws {
        let patient = try await Patient.make()
        let login = "poor_" + UUID().uuidString.prefix(8).lowercased()
        try await patient.site.execute("CREATE ROLE \(login) LOGIN")
        if mayReadTheSchema {
            try await patient.site.execute(
                """
                GRANT USAGE ON SCHEMA push TO \(login);
                GRANT EXECUTE ON FUNCTION push.schema(), push.schema_files(), push.filled_defaults() TO \(login);
                """)
        }
        let text = try patient.site.scratch.read("doctor.json")
        let poor = text.replacing("\(patient.site.url)", with: "\(patient.site.url) user=\(login)")
        #expect(poor != text)
        try patient.site.scratch.write(poor, to: "doctor.json")
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        let rights = try #require(found["database/rights"], "\(found.keys)")
        let said = try #require(rights["found"] as? String)
        #expect(
            said.contains(
                mayReadTheSchema ? "\(login) is in none of push_enqueue" : "permission denied for schema push"),
            "\(said)")
        #expect((rights["remedy"] as? String)?.contains("GRANT push_worker TO \(login)") == true)
    }

    /// It was once green for nobody but the owner, and told an operator to become a worker.
    @Test(arguments: [
        ("push_worker", "has those of push_worker", "snapshots: role "),
        ("push_monitor", "has those of push_monitor; fanfare run and drain need a role with push_worker", nil),
        ("push_operator", "has those of push_monitor and push_operator; fanfare run and drain need", nil),
        (
            "push_enqueue", "has those of push_enqueue; fanfare run",
            "partitions, incidents, snapshots, workers, the state"
        ),
        (
            "push_register", "has those of push_register; fanfare run",
            "partitions, incidents, snapshots, workers, the state"
        ),
        (
            "push_console", "has those of push_console; fanfare run",
            "partitions, incidents, snapshots, workers, the state"
        ),
    ])
    func everyRoleOfFanfareIsHealthy(role: String, rights: String, skipped: String?) async throws {
        let patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        let login = "r_" + UUID().uuidString.prefix(8).lowercased()
        try await patient.site.execute("CREATE ROLE \(login) LOGIN IN ROLE \(role)")
        let text = try patient.site.scratch.read("doctor.json")
        try patient.site.scratch.write(
            text.replacing("\(patient.site.url)", with: "\(patient.site.url) user=\(login)"), to: "doctor.json")
        let (status, found) = try await patient.findings()
        #expect(status == 0, "\(found.values.filter { $0["grade"] as? String == "fail" })")
        #expect(
            (found["database/rights"]?["found"] as? String)?.contains(rights) == true,
            "\(found["database/rights"] ?? [:])")
        let words = found["database/not looked at"]?["found"] as? String
        #expect(skipped.map { words?.contains($0) == true } ?? (words == nil), "\(words ?? "")")
        #expect((found["hub news/gate"] == nil) == ["push_enqueue", "push_register", "push_console"].contains(role))
    }

    /// With the login of a monitor and with that of a worker.
    @Test(arguments: ["push_monitor", "push_worker"])
    func devicesThatWaitOrWereRefusedAreFound(role: String) async throws {
        let patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        let login = "r_" + UUID().uuidString.prefix(8).lowercased()
        try await patient.site.execute(
            """
            CREATE ROLE \(login) LOGIN IN ROLE \(role);
            SELECT push.put_device('news', 'phone-' || n, 'apns', '00') FROM generate_series(1, 3) n;
            DELETE FROM push.installation_due WHERE id = 3;
            INSERT INTO push.installation_result (id, status, http) VALUES (3, 'refused', 400);
            """)
        let text = try patient.site.scratch.read("doctor.json")
        try patient.site.scratch.write(
            text.replacing("\(patient.site.url)", with: "\(patient.site.url) user=\(login)"), to: "doctor.json")
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        let waiting = try #require(found["hub news/devices"])
        #expect(waiting["grade"] as? String == "warn")
        let words = try #require(waiting["found"] as? String)
        #expect(words.hasPrefix("2 changes due, 0 later, the oldest due for "), "\(words)")
        #expect(words.contains("; no worker serves the hub since 20"), "\(words)")
        let refused = try #require(found["hub news/refused devices"])
        #expect(refused["found"] as? String == "1 change of devices in the last day")
        #expect((refused["remedy"] as? String)?.contains("fanfare device list --hub news --status refused") == true)
    }

    @Test func aLostChangeOfADeviceFailsWhereItIsLookedFor() async throws {
        let patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        try await patient.site.execute(
            "SELECT push.put_device('news', 'phone', 'apns', '00'); DELETE FROM push.installation_due")
        #expect(try await patient.fanfare("doctor").status == 0)
        let ended = try await patient.fanfare("doctor", "--deep")
        #expect(ended.status == 1)
        #expect(ended.output.contains("FAIL lost changes: change 1 of device phone of hub news"), "\(ended.output)")
    }

    /// A hub was taken out of the configuration of every worker, and its messages wait.
    @Test func aHubThatNobodyServesFailsWhenItHasMessagesDue() async throws {
        let patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        try await patient.site.execute(
            """
            INSERT INTO push.worker (name, version, timeline, lowest_claim)
            SELECT 'here/1', 'test', push_internal.current_timeline(), 0;
            INSERT INTO push.message (hub, tag, content) VALUES ('news', 'A', '{"a": "b"}');
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect(found["hub news/workers"]?["grade"] as? String == "fail")
        #expect(
            (found["hub news/workers"]?["found"] as? String)?.contains("1 message pending, the oldest due for ") == true
        )
    }

    @Test func aWorkerThatCannotRecordFails() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            """
            INSERT INTO push.worker (name, version, timeline, lowest_claim, trouble)
            SELECT 'here/1', 'test', push_internal.current_timeline(), 0, 'cannot write to the database for 14 s: 53100 full'
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        #expect(
            found["workers/writing"]?["found"] as? String
                == "here/1: cannot write to the database for 14 s: 53100 full")
    }

    @Test func aMessageThatIsDueForTooLongFails() async throws {
        let patient = try await Patient.make()
        #expect(try await patient.fanfare("migrate", "up").status == 0)
        try await patient.site.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'A', '{\"a\": \"b\"}')")
        #expect(try await patient.fanfare("doctor", "--max-wait", "1h").status == 0)
        #expect(try await patient.fanfare("doctor", "--max-wait", "0").status == 1)
    }

    @Test func aSettingThatWorkersCannotLiveWithIsNamed() async throws {
        let patient = try await Patient.make()
        let good = try await patient.findings()
        #expect(good.found["database/settings"]?["found"] as? String == "as needed")
        let name = try await patient.site.text("SELECT current_database()")
        try await patient.site.execute("ALTER DATABASE \(name) SET session_replication_role = replica")
        let (status, found) = try await patient.findings()
        #expect(status == 1)
        let setting = try #require(found["database/settings"])
        #expect(setting["found"] as? String == #"session_replication_role is "replica" (set for: database)"#)
        #expect((setting["remedy"] as? String)?.contains("SET session_replication_role = 'origin'") == true)
    }

    @Test func whatOnlyTheAuditKnowsIsFound() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            """
            INSERT INTO push.audit (action, at) VALUES
                ('unrecorded', now() - interval '2 hours'), ('unrecorded', now()), ('dropped_pointer', now()),
                ('rescue_failed', now() - interval '2 days'), ('cancel', now())
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        let incidents = try #require(found["database/incidents"])
        #expect(incidents["grade"] as? String == "warn")
        let words = incidents["found"] as? String ?? ""
        #expect(words.contains("dropped_pointer 1 times") && words.contains("unrecorded 2 times"), "\(words)")
        #expect(!words.contains("rescue_failed") && !words.contains("cancel"))
    }

    @Test func aWorkerThatFellSilentIsNamed() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            """
            INSERT INTO push.worker (name, version, beat_at, timeline, lowest_claim)
            SELECT w.name, 'test', now() - w.silent, push_internal.current_timeline(), 0
              FROM (VALUES ('here/1', interval '0'), ('gone/2', interval '10 min')) w(name, silent)
            """)
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        #expect(found["workers/alive"]?["found"] as? String == "here/1 (test)")
        #expect(found["workers/silent"]?["found"] as? String == "gone/2 since 10 min")
    }

    @Test(arguments: [
        (HubKind.fcm, 9_000, 0, true), (.fcm, 0, 0, true), (.fcm, 9_000, 60, false), (.fcm, 1_000, 0, false),
        (.notificationHubs, 9_000, 0, false),
    ])
    func aRateThatGoogleWantsToGrowIsNamed(kind: HubKind, rate: Int, ramp: Int, isNamed: Bool) {
        var hub = HubSettings(name: "shop", kind: kind)
        hub.ratePerSecond = rate
        hub.rampSeconds = ramp
        let findings = DoctorHubs.advice(on: hub)
        #expect(findings.contains { $0.name == "ramp" && $0.grade == .warn } == isNamed)
        #expect(findings.contains { $0.name == "topics" } == false)
        hub.tagsAreTopics = true
        #expect(DoctorHubs.advice(on: hub).contains { $0.name == "topics" } == (kind == .fcm))
    }

    @Test(arguments: [(31.0, Finding.Grade.ok), (29, .warn), (-1, .fail)])
    func theEndOfACertificateIsSaidInTime(days: Double, grade: Finding.Grade) throws {
        let vectors = try Vectors.object("fcm-apns/client_certificate")
        let certificate = try ClientCertificate(
            certificate: try #require(vectors["certificate"] as? String),
            key: Secret(try #require(vectors["key"] as? String)))
        let finding = DoctorHubs.finding(
            certificate, of: HubSettings(name: "ios", kind: .apns),
            now: Double(certificate.notAfter) - days * 86_400)
        #expect(finding.grade == grade && finding.found.hasPrefix("on 2025-01-31"), "\(finding)")
        #expect((finding.remedy?.contains("hubs.ios.certificate") ?? false) == (grade != .ok))
    }

    @Test func aLongListIsCutAndCounted() {
        let finding = Finding.list(
            "a", "b", ["x", "y", "z", "1", "2", "3"], none: "none", as: .warn, remedy: "end it")
        #expect(finding.found == "x; y; z; 1; 2; and 1 more")
    }

    @Test func aHeldHubAndDoubtsAreFound() async throws {
        let patient = try await Patient.make()
        _ = try await patient.fanfare("migrate", "up")
        try await patient.site.execute(
            "UPDATE push.hub_state SET held_since = now(), hold_reason = 'The hub refuses every key we have.'")
        let (status, found) = try await patient.findings()
        #expect(status == 0)
        #expect(
            (found["hub news/gate"]?["found"] as? String)?.contains("held: The hub refuses every key we have.") == true)
        #expect((found["hub news/gate"]?["remedy"] as? String)?.contains("fanfare hub resume news") == true)
    }

    @Test func versionsAreComparedAsNumbers() {
        #expect("7.88.1".compare(versionTo: "7.80.0") > 0)
        #expect("7.9".compare(versionTo: "7.80.0") < 0)
        #expect("8.0".compare(versionTo: "8.0.0") == 0)
        #expect("7.88.1-DEV".compare(versionTo: "7.88.1") == 0)
    }

    @Test func aHubThatTheSettingsDoNotHaveIsRefused() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("doctor", "--hub", "nws")
        #expect(ended.status == 65)
        #expect(ended.errors.contains("Did you mean news?"))
    }

    /// Sessions of others say nothing about dead rows: nobody knows what they hold.
    @Test func sessionsThatCannotBeSeenAreCountedAndNotBlamed() async throws {
        let patient = try await Patient.make()
        try await patient.site.execute(
            """
            CREATE OR REPLACE VIEW push.snapshot_holders AS
            SELECT 'hidden' AS kind, '7' AS holder, NULL AS who, NULL AS application, NULL::timestamptz AS since,
                   NULL::interval AS held, NULL::int AS transactions, 'GRANT pg_read_all_stats TO owner' AS remedy;
            """)
        let (_, found) = try await patient.findings()
        let words = try #require(found["database/oldest snapshot"]?["found"] as? String)
        #expect(words.hasSuffix("as far as can be seen: 7 sessions of other roles cannot"), "\(words)")
    }
}
