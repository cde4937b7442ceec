import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

@testable import CommandLineTool
@testable import fanfare

/// `fanfare device list` and `show`, with a real database and the emulator.
@Suite(.timeLimit(.minutes(10))) struct DeviceTests {
    /// A database, an emulator in this process, and settings that name both.
    struct Bench {
        let worker: TestWorker
        let fanfare: BuiltProgram
        let scratch: ScratchDirectory

        static func make() async throws -> Bench {
            let worker = try await TestWorker.make()
            let scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = """
                {"database": {"url": "\(worker.test.conninfo)"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
                """
            return Bench(
                worker: worker,
                fanfare: BuiltProgram(settings: try scratch.write(settings, to: "config.json"), scratch: scratch),
                scratch: scratch)
        }

        /// - Parameter call: `put_device('news', 'phone', …)`.
        @discardableResult
        func call(_ call: String) async throws -> Int64 {
            try await worker.test.number("SELECT push.\(raw: call)")
        }

        /// A device with a long handle, a user, tags and a template.
        @discardableResult
        func put(_ device: String = "phone-17") async throws -> Int64 {
            try await call(
                """
                put_device('news', '\(device)', 'apns', '\(DeviceTests.handle)', tags => '{World,user:17}', user_id => '17',
                           templates => '{"news": {"body": "{\\"aps\\":{\\"alert\\":\\"$(message)\\"}}"}}')
                """)
        }

        /// The options of a login that is a member of one role.
        func login(_ role: String) async throws -> [String] {
            ["--set", "database.url=\(try await worker.test.login(as: role).conninfo)"]
        }
    }

    static let handle = "00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0"

    // MARK: list

    @Test func changesAreListedFromTheNewestOn() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        try await bench.call("patch_device('news', 'ghost', add_tags => '{a}')")
        try await bench.worker.drain()
        let drop = try await bench.call("drop_device('news', 'phone-17')")

        let all = try await bench.fanfare("device", "list")
        #expect(all.status == 0, "\(all.errors)")
        let lines = all.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("ID  DEVICE    HUB   ACTION  STATUS   SINCE  NOTE"), "\(all.output)")
        #expect(lines[1].hasPrefix(" \(drop)  phone-17  news  drop    waiting"), "\(all.output)")
        #expect(lines[2].hasPrefix(" 2  ghost     news  patch   refused"), "\(all.output)")
        #expect(lines[2].hasSuffix("no such installation"))
        #expect(lines[3].hasPrefix(" 1  phone-17  news  put     applied"), "\(all.output)")
        #expect(lines[4].hasPrefix("no other such change was asked for since 20"), "\(all.output)")
        #expect(lines[4].hasSuffix("look further back with --since 30d"))
    }

    /// The ids that are found.
    private func ids(_ bench: Bench, _ options: String...) async throws -> [Int64] {
        let ended = try await bench.fanfare.run(["device", "list", "--json"] + options)
        #expect(ended.status == 0, "\(ended.errors)")
        return try ended.json([[String: Any]].self).compactMap { $0["id"] as? Int64 }
    }

    @Test func whatIsKnownOfChangesFindsThem() async throws {
        let bench = try await Bench.make()
        let superseded = try await bench.put()
        let applied = try await bench.put()
        let refused = try await bench.call("patch_device('news', 'ghost', add_tags => '{a}')")
        try await bench.worker.drain()
        let retrying = try await bench.call("drop_device('news', 'phone-18')")
        try await bench.worker.test.database.execute(
            "INSERT INTO push.installation_result (id, status, http) VALUES (\(retrying), 'retrying', 503)")
        let waiting = try await bench.call("drop_device('news', 'phone-19')")

        #expect(try await ids(bench) == [waiting, retrying, refused, applied, superseded])
        #expect(try await ids(bench, "--status", "waiting") == [waiting])
        #expect(try await ids(bench, "--status", "retrying") == [retrying])
        #expect(try await ids(bench, "--status", "refused", "--hub", "news") == [refused])
        #expect(try await ids(bench, "--status", "applied") == [applied])
        #expect(try await ids(bench, "--status", "superseded") == [superseded])
        #expect(try await ids(bench, "--status", "applying") == [])
        #expect(try await ids(bench, "--device", "phone-17") == [applied, superseded])
        #expect(try await ids(bench, "--device", "phone-17", "--status", "applied", "--hub", "news") == [applied])
        #expect(try await ids(bench, "--before", "\(refused)") == [applied, superseded])
        try await bench.worker.test.database.execute(
            "UPDATE push.installation_change SET at = at - interval '3 days' WHERE id < \(refused)")
        #expect(try await ids(bench, "--since", "2d") == [waiting, retrying, refused])
        #expect(try await ids(bench, "--since", "2d", "--status", "superseded") == [])
    }

    @Test func aPageSaysHowToGoOn() async throws {
        let bench = try await Bench.make()
        let first = try await bench.put()
        let second = try await bench.put()
        try await bench.put()
        let page = try await bench.fanfare("device", "list", "--limit", "2")
        #expect(page.output.hasSuffix("go on with --before \(second)\n"), "\(page.output)")
        let next = try await bench.fanfare("device", "list", "--limit", "2", "--before", "\(second)", "--json")
        #expect(try next.json([[String: Any]].self).map { $0["id"] as? Int64 } == [first])
        #expect(next.errors.hasPrefix("no other such change was asked for since"), "\(next.errors)")
        let row = try #require(try next.json([[String: Any]].self).first)
        #expect(
            row.keys.sorted() == [
                "action", "at", "changed_by", "device", "error", "http", "hub", "id", "next_try", "note", "since",
                "status", "tracking_id", "worker",
            ])
        #expect(!next.output.contains(Self.handle))
    }

    /// An id is what one types next.
    @Test func aWholeIdFitsEightyColumnsWhereTheHubIsGiven() async throws {
        let bench = try await Bench.make()
        let id = "6f1c2a3e-8a0b-4d52-9a5f-2b9d1e6c7f80"
        try await bench.call("patch_device('news', '\(id)', add_tags => '{a}')")
        try await bench.worker.drain()
        var fanfare = bench.fanfare
        fanfare.environment["COLUMNS"] = "80"
        let ended = try await fanfare("device", "list", "--hub", "news")
        #expect(ended.output.contains(id), "\(ended.output)")
        #expect(ended.output.split(separator: "\n").prefix { !$0.hasPrefix("no other") }.allSatisfy { $0.count <= 80 })
    }

    @Test func whatCannotBeFoundIsSaid() async throws {
        let bench = try await Bench.make()
        let unknown = try await bench.fanfare("device", "list", "--hub", "nws")
        #expect(unknown.status == 65 && unknown.errors.contains(#"hub "nws" is not registered"#), "\(unknown)")
        let odd = try await bench.fanfare("device", "list", "--status", "sent")
        #expect(odd.status == 64 && odd.errors.contains("waiting, applying, retrying"), "\(odd)")
        #expect(try await bench.fanfare("device", "list", "--limit", "0").status == 64)
        #expect(try await bench.fanfare("device", "list", "--since", "yesterdayish").status == 65)
        #expect(try await bench.fanfare("device", "show", "phone", "--limit", "0").status == 64)
    }

    // MARK: show

    @Test func aDeviceIsShownAsItWasAskedForAndAsTheHubHasIt() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        try await bench.worker.drain()
        try await bench.call(
            """
            patch_device('news', 'phone-17', add_tags => '{Science}', remove_tags => '{World}',
                         templates => '{"news": null, "x": {"body": "{}"}}')
            """)
        let shown = try await bench.fanfare("device", "show", "phone-17")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasPrefix("device phone-17 at hub news\n\nID  ACTION  STATUS "), "\(shown.output)")
        #expect(shown.output.contains("add Science, remove World, template x, without template news; next try 20"))
        #expect(
            shown.output.contains("apns, handle 00FC…E8F0, user 17, tags World user:17, template news"),
            "\(shown.output)")
        #expect(shown.output.contains("what the hub has now:\ninstallation  phone-17\nplatform      apns\n"))
        #expect(
            shown.output.contains("handle        00FC…E8F0\n")
                && shown.output.contains("tags          World, user:17\n"))
        #expect(!shown.output.contains(Self.handle))

        let whole = try await bench.fanfare("device", "show", "phone-17", "--hub", "news", "--handle")
        #expect(whole.output.components(separatedBy: Self.handle).count == 3, "\(whole.output)")
    }

    @Test func jsonHasChangesWithTheirDocumentsAndTheInstallation() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        try await bench.worker.drain()
        let masked = try await bench.fanfare("device", "show", "phone-17", "--json")
        #expect(!masked.output.contains(Self.handle))
        let ended = try await bench.fanfare("device", "show", "phone-17", "--json", "--handle")
        let document = try ended.json([String: Any].self)
        #expect(document["device"] as? String == "phone-17")
        let hub = try #require((document["hubs"] as? [[String: Any]])?.first)
        #expect(hub.keys.sorted() == ["changes", "hub", "installation", "note"])
        #expect(hub["note"] is NSNull)
        #expect((hub["installation"] as? [String: Any])?["pushChannel"] as? String == Self.handle)
        let change = try #require((hub["changes"] as? [[String: Any]])?.first)
        let asked = try #require(change["document"] as? [String: Any])
        #expect(asked["handle"] as? String == Self.handle && asked["user_id"] as? String == "17")
        #expect(change["status"] as? String == "applied" && change["http"] as? Int == 200)
    }

    /// A login of a backend or a dashboard sees what became of the changes, and no handle or user.
    @Test(arguments: ["push_register", "push_monitor", "push_operator"])
    func whoMayNotReadDocumentsIsToldSo(role: String) async throws {
        let bench = try await Bench.make()
        try await bench.put()
        let shown = try await bench.fanfare.run(
            ["device", "show", "phone-17", "--handle"] + bench.login(role))
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("1  put     waiting"), "\(shown.output)")
        #expect(shown.output.contains("only for a login that may read push.installation_change"))
        #expect(!shown.output.contains(Self.handle) && !shown.output.contains("user 17"))
        #expect(shown.output.hasSuffix("hub \"news\" has no such installation\n"), "\(shown.output)")
        let listed = try await bench.fanfare.run(["device", "list"] + bench.login(role))
        #expect(listed.status == (role == "push_register" ? 77 : 0), "\(listed.errors)")
        if role == "push_register" { #expect(listed.errors.contains("GRANT push_monitor")) }
    }

    @Test(arguments: ["push_enqueue", "push_worker"])
    func aLoginWithoutTheRightIsToldWhichRoleItLacks(role: String) async throws {
        let bench = try await Bench.make()
        let shown = try await bench.fanfare.run(["device", "show", "phone"] + bench.login(role))
        #expect(shown.status == 77)
        #expect(shown.errors.contains("GRANT one of push_monitor and push_register"), "\(shown.errors)")
        let listed = try await bench.fanfare.run(["device", "list"] + bench.login(role))
        #expect(listed.status == 77 && listed.errors.contains("GRANT push_monitor"), "\(listed.errors)")
    }

    @Test func aHubThatIsNotInTheSettingsIsNotAsked() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        let settings = try bench.scratch.write(
            #"{"database": {"url": "\#(bench.worker.test.conninfo)"}}"#, to: "other.json")
        let shown = try await BuiltProgram(settings: settings)("device", "show", "phone-17")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(
            shown.output.hasSuffix("what the hub has now is not known: hub \"news\" is not in the settings\n")
                || shown.output.contains("what the hub has now is not known: the settings are wrong"),
            "\(shown.output)")
    }

    @Test func aHubThatRefusesUsIsQuoted() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        var fault = Fault(.every(1), status: 403)
        fault.operations = [.installation]
        try bench.worker.emulator.add(fault)
        let shown = try await bench.fanfare("device", "show", "phone-17", "--json")
        #expect(shown.status == 0, "\(shown.errors)")
        let hub = try #require((try shown.json([String: Any].self)["hubs"] as? [[String: Any]])?.first)
        #expect(hub["installation"] is NSNull)
        #expect(
            (hub["note"] as? String)?.hasPrefix("what the hub has now is not known: hub replied 403") == true, "\(hub)")
    }

    @Test func aDeviceThatNobodyKnowsIsBadInput() async throws {
        let bench = try await Bench.make()
        let ended = try await bench.fanfare("device", "show", "nobody")
        #expect(ended.status == 65)
        #expect(
            ended.errors.hasPrefix(
                "fanfare: cannot show device \"nobody\": no backend has changed it; hub \"news\" has no such installation"
            ),
            "\(ended.errors)")
    }

    /// An app that registers by itself names no change.
    @Test func aDeviceThatOnlyTheHubKnowsIsShown() async throws {
        let bench = try await Bench.make()
        try bench.worker.emulator.register(Installation("own", pushChannel: .handle("00FF")), at: "breaking-news")
        let ended = try await bench.fanfare("device", "show", "own")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("no backend has changed it"))
        #expect(ended.output.contains("handle        …\n"), "\(ended.output)")
    }

    @Test(arguments: [
        ("00FC13ADFF785122", "00FC…5122"), ("00FF", "…"), (#"{"endpoint":"https://push/1","auth":"a"}"#, "…"),
        ("https://push.example/abcdefgh", "…"),
    ])
    func aHandleIsHiddenButForItsEnds(handle: String, shown: String) {
        #expect(HandleMask.masked(handle) == shown)
    }

    @Test func handlesOfTilesAndBrowsersAreHidden() throws {
        let text = """
            {"pushChannel": {"endpoint": "https://a/1", "auth": "secret"}, "tags": ["pushChannel"],
             "secondaryTiles": {"t": {"pushChannel": "0123456789ABCDEF0123", "tags": []}}}
            """
        let json = try #require(JSONOutput(json: Array(text.utf8)))
        #expect(
            HandleMask.masked(installation: json).line == """
                {"pushChannel": {"auth": "…", "endpoint": "…"}, \
                "secondaryTiles": {"t": {"pushChannel": "0123…0123", "tags": []}}, "tags": ["pushChannel"]}
                """)
    }
}
