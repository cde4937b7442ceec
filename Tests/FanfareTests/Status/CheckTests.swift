import Foundation
import ProgramSupport
import Testing

@testable import CommandLineTool
@testable import fanfare

/// `fanfare check` and deploy/nagios/check_fanfare: one line on standard output and an exit status, for monitors.
@Suite struct CheckTests {
    struct Answer {
        let status: Int32
        let output: String
    }

    /// How to ask: with the command, or with the script.
    enum Way: String, CaseIterable, Sendable {
        case command, script

        var isExpected: Bool { self == .command || Tool.psql.isExpected }

        /// - Parameter url: of the database; nil: of the site.
        func ask(_ site: Site, _ arguments: [String], url: String? = nil) async throws -> Answer {
            let url = url ?? site.url
            switch self {
            case .script:
                let ended = try await Tool(Repository.url("deploy/nagios/check_fanfare").path())(
                    ["--dbname", url] + arguments)
                return Answer(status: ended.status, output: ended.output)
            case .command:
                let settings = try site.scratch.write(Site.settings(url: url), to: "check.json")
                let ended = try await BuiltProgram(settings: settings, scratch: site.scratch).run(["check"] + arguments)
                return Answer(status: ended.status, output: ended.output)
            }
        }
    }

    private static let ways = Way.allCases.filter(\.isExpected)

    /// One line, with figures if there are any.
    private static func expect(
        _ ended: Answer, _ status: Int32, _ line: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(ended.status == status, "\(ended)", sourceLocation: sourceLocation)
        #expect(ended.output.hasPrefix(line), "\(ended)", sourceLocation: sourceLocation)
        #expect(ended.output.split(separator: "\n").count == 1, "\(ended)", sourceLocation: sourceLocation)
        let figures = status < 3 && !line.contains("cannot") && !line.contains("check_fanfare")
        #expect(
            ended.output.split(separator: "|").count == (figures ? 2 : 1), "\(ended)", sourceLocation: sourceLocation)
    }

    /// A database whose hub is served by a worker that beats in the distant future, and the login of a monitor.
    private static func served() async throws -> (site: Site, monitor: String) {
        let site = try await Site.make()
        let monitor = "nagios_" + UUID().uuidString.prefix(8).lowercased()
        try await site.execute(
            """
            CREATE ROLE \(monitor) LOGIN IN ROLE push_monitor;
            SELECT push_worker.register_v1('host/1', '1.2.3', 15);
            UPDATE push.worker SET beat_at = now() + interval '1 day';
            INSERT INTO push.serving (worker, hub, key, has_secondary, signings, "window", in_flight, rate)
            SELECT w.id, h.id, 'primary', false, 0, 1, 0, 0 FROM push.worker w, push.hub h
            """)
        return (site, "\(site.url) user=\(monitor)")
    }

    @Test(arguments: ways)
    func eachStateHasItsStatus(way: Way) async throws {
        let (site, monitor) = try await Self.served()
        let ok = try await way.ask(site, [], url: monitor)
        Self.expect(
            ok, 0,
            "FANFARE OK: 1 hub, 0 due, 1 worker | oldest=0s;60;300;0 due=0 in_doubt=0;1;;0 failed=0%;5;50;0 workers=1\n"
        )
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            VALUES ('news', 'a', '{"message": "hi"}', now() - interval '2 minutes')
            """)
        Self.expect(
            try await way.ask(site, [], url: monitor), 1, "FANFARE WARNING: news: oldest due for 2 min | oldest=12")
        Self.expect(
            try await way.ask(site, ["-w", "failed=9", "--warning", "1m,in_doubt=off", "-c", "90s"], url: monitor), 2,
            "FANFARE CRITICAL: news: oldest due for 2 min | ")
        Self.expect(
            try await way.ask(site, ["--warning", "1h", "--critical", "2h", "--hub", "news"], url: monitor), 0,
            "FANFARE OK: 1 hub, 1 due, 1 worker | ")
        try await site.execute("DELETE FROM push.worker")
        Self.expect(
            try await way.ask(site, ["--warning", "1h", "--critical", "2h"], url: monitor), 2,
            "FANFARE CRITICAL: news: no worker serves it, 1 due, the oldest for 2 min | ")
    }

    @Test(arguments: ways)
    func withoutADatabaseNothingCanBeSent(way: Way) async throws {
        let site = try await Site.make()
        let ended = try await way.ask(site, [], url: "host=/nowhere dbname=fanfare")
        Self.expect(
            ended, 2, way == .command ? "FANFARE CRITICAL: cannot connect" : "FANFARE CRITICAL: check_fanfare: ")
        #expect(ended.output.contains("/nowhere/"))
    }

    @Test(arguments: ways)
    func whatIsWrongWithTheCheckItselfIsUnknown(way: Way) async throws {
        let (site, monitor) = try await Self.served()
        let begin = way == .command ? "FANFARE UNKNOWN: " : "FANFARE UNKNOWN: check_fanfare: "
        for (arguments, says) in [
            (["--warning", "1x"], #"warning: "1x" is not a limit"#), (["--warning", "10m"], "above that of critical"),
            (["--hub", "sport"], #"hub "sport" is not registered"#), (["--nope"], "--nope"),
            (["--critical"], "--critical"), (["--timeout", "soon"], "--timeout"),
        ] {
            let ended = try await way.ask(site, arguments, url: monitor)
            Self.expect(ended, 3, begin)
            #expect(ended.output.contains(says), "\(ended)")
        }
    }

    @Test(arguments: ways)
    func aLoginWithoutRightsAndADatabaseWithoutSchemaAreUnknown(way: Way) async throws {
        let site = try await Site.make()
        let login = "poor_" + UUID().uuidString.prefix(8).lowercased()
        try await site.execute("CREATE ROLE \(login) LOGIN")
        let poor = try await way.ask(site, [], url: "\(site.url) user=\(login)")
        Self.expect(poor, 3, "FANFARE UNKNOWN: ")
        #expect(poor.output.contains("permission denied"), "\(poor)")
        let missing = try await way.ask(site, [], url: "\(site.url) user=missing_\(login)")
        Self.expect(missing, 3, "FANFARE UNKNOWN: ")
        let bare = try await way.ask(try await Site.make(migrated: false), [])
        Self.expect(bare, 3, "FANFARE UNKNOWN: ")
        #expect(
            bare.output.contains(way == .command ? "fanfare migrate up" : #"schema "push" does not exist"#), "\(bare)")
    }

    /// A server that accepts and then is silent, as behind a firewall that drops packets.
    @Test(arguments: ways, [["--timeout", "1"]])
    func aDatabaseThatDoesNotAnswerIsOutOfReach(way: Way, arguments: [String]) async throws {
        let (site, monitor) = try await Self.served()
        // The check waits for a lock that is held while it runs.
        try await site.withDatabase { database in
            try await database.withTransaction { connection in
                try await connection.execute("LOCK TABLE push.hub IN ACCESS EXCLUSIVE MODE")
                Self.expect(
                    try await way.ask(site, arguments, url: monitor), 2,
                    way == .command
                        ? "FANFARE CRITICAL: cannot check: the database did not answer within 1 s\n"
                        : "FANFARE CRITICAL: check_fanfare: ERROR: canceling statement due to statement timeout")
            }
        }
    }

    @Test func settingsThatCannotBeReadAreUnknown() async throws {
        let ended = try await BuiltProgram(settings: "/nowhere/config.json")("check")
        #expect(ended.status == 3)
        #expect(ended.output.hasPrefix("FANFARE UNKNOWN: /nowhere/config.json"), "\(ended)")
        #expect(ended.errors.isEmpty, "\(ended)")
    }

    @Test func asJSONItHasEveryFigure() async throws {
        let (site, _) = try await Self.served()
        let good = try await site.fanfare("check", "--json").json([String: Any].self)
        #expect(
            good.keys.sorted() == [
                "code", "due", "failed_percent", "findings", "hubs", "in_doubt", "line", "oldest_seconds", "perfdata",
                "state", "workers",
            ])
        #expect(good["state"] as? String == "ok" && good["workers"] as? Int == 1)
        let ended = try await site.fanfare("check", "--json", "--nope")
        let bad = try ended.json([String: Any].self)
        #expect(ended.status == 3 && bad["code"] as? Int == 3 && bad["state"] as? String == "unknown")
    }

    @Test func aFailureIsOneLineWithoutSecretsAndWithoutTheSignOfFigures() {
        let line = MonitorLine(
            Failure(
                "cannot connect", because: "a|b\nc|\u{301} \u{600}| password=hunter2", hint: "Look.",
                status: .unavailable))
        #expect(line.text == "FANFARE CRITICAL: cannot connect: a b c \u{301} \u{600}  password=••• (Look.)")
        #expect(line.state == .critical)
    }

    /// Both tell the same limits.
    @Test func theScriptExplainsItself() async throws {
        let script = try await Tool(Repository.url("deploy/nagios/check_fanfare").path())(["--help"])
        let command = try await BuiltProgram(settings: nil)("check", "--help")
        for text in [script.output, command.output] {
            #expect(text.contains("oldest=1m,in_doubt=1,failed=5%") && text.contains("oldest=5m,failed=50%"), "\(text)")
        }
        #expect(script.status == 0 && command.status == 0)
    }
}
