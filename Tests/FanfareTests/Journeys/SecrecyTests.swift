import ProgramSupport
import Foundation
import Glibc
import TestSupport
import Testing

/// A key, a token and a password that are in use are nowhere to be read: not in what the commands print, log and record,
/// whatever the hub answers. The hub of these tests quotes the whole request in its answers, as some proxies do.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SecrecyTests {
    private static let key = BuiltProgram.secrets[0]
    private static let password = BuiltProgram.secrets[1]

    /// One database, one hub that talks too much, one command.
    private struct Bench {
        let test: TestDatabase
        let scratch: ScratchDirectory
        var fanfare: BuiltProgram

        /// The key comes from a credential file and the address of the database from the environment.
        init(_ hub: ScriptedHub) async throws {
            test = try await TestDatabase.make()
            scratch = try ScratchDirectory()
            fanfare = BuiltProgram(
                settings: try scratch.write(
                    #"{"hubs": {"news": {"hub": "h"}}, "console": {"listen": "127.0.0.1:0"}}"#, to: "config.json"),
                scratch: scratch)
            try scratch.write(hub.connection, to: "hubs-news-connectionString")
            fanfare.environment = [
                "CREDENTIALS_DIRECTORY": scratch.path,
                "FANFARE_DATABASE_URL": "\(test.conninfo) password=\(SecrecyTests.password)",
            ]
            #expect(try await fanfare("migrate", "up").status == 0)
        }

        func enqueue() async throws {
            try await test.database.execute(
                "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{}')")
            try await test.database.execute("SELECT push.put_device('news', 'phone', 'apns', '00FF')")
        }

        func until(_ sql: String) async throws {
            while try await test.number("SELECT count(*) FROM (\(raw: sql)) q") == 0 { try Task.checkCancellation() }
        }

        /// Everything the schema holds, row by row.
        func rows() async throws -> String {
            let tables = try await test.texts(
                """
                SELECT c.oid::regclass::text FROM pg_class c
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'v') ORDER BY 1
                """)
            #expect(tables.count > 20)
            var all = ""
            for table in tables {
                all += try await test.texts("SELECT t::text FROM \(raw: table) t").joined(separator: "\n")
            }
            return all
        }
    }

    /// What looks like a signature that was not masked.
    private static func expectClean(_ text: String, _ what: String) {
        for secret in [key, password, "secret of a test"] {
            #expect(!text.contains(secret), "\(what) holds \(secret)")
        }
        #expect(!text.contains(/(?i)sig=[^•\s]/), "\(what) holds a signature: \(text)")
        #expect(!text.contains(/SharedAccessSignature s/), "\(what) holds a token: \(text)")
    }

    /// Quotes the request, its token included, the way the service words its errors and the way proxies do.
    private static func quoting(_ status: Int) -> @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer {
        { request, _ in
            let head = request.headers.joined(separator: "\n")
            let body =
                status == 502
                ? "<html><pre>\(request.method) \(request.target)\n\(head)</pre></html>"
                : "<Error><Code>\(status)</Code><Detail>no: \(head).TrackingId:\(head),TimeStamp:x</Detail></Error>"
            let authorization = request.headers.first { $0.hasPrefix("Authorization:") } ?? "Authorization: none"
            let address = authorization.dropFirst("Authorization: ".count).replacing(" ", with: "+")
            return ScriptedHub.Answer(
                status: status,
                headers: [
                    "X-Echo-\(authorization)", "TrackingId: \(authorization)",
                    "Location: http://h/h/messages/\(address)",
                ], body: body)
        }
    }

    @Test(arguments: [201, 400, 401, 403, 502])
    func aWorkerKeepsItsSecretsWhateverTheHubSays(status: Int) async throws {
        try await ScriptedHub.run(Self.quoting(status)) { hub in
            var bench = try await Bench(hub)
            // A backtrace takes ten seconds: one is enough.
            if status != 400 { bench.fanfare.environment["SWIFT_BACKTRACE"] = "enable=no" }
            try await bench.enqueue()
            let process = bench.fanfare.process(["run", "--log-level", "trace", "--log-format", "json"])
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try bench.scratch.open("output")
            process.standardError = try bench.scratch.open("log")
            let run = try ServiceBench.Process(process)
            try await bench.until("SELECT FROM push.answers")
            try await bench.until("SELECT FROM push.installation_result")
            #expect(!hub.requests.isEmpty)
            #expect(hub.requests.allSatisfy { $0.headers.contains { $0.contains("sig=") } }, "nothing to give away")

            for file in ["cmdline", "status", "limits"] {
                let text = try String(contentsOfFile: "/proc/\(run.id)/\(file)", encoding: .utf8)
                Self.expectClean(text, file)
            }
            let log = try bench.scratch.read("log")
            let said = try #require(log.firstMatch(of: /http:\/\/(127\.0\.0\.1:[0-9]+)\/readyz/), "\(log)")
            for page in ["livez", "readyz?verbose", "startupz", "metrics", "", "%0d%0aX:y"] {
                Self.expectClean(try await Self.page("http://\(said.1)/\(page)"), page)
            }
            // A reload of settings that are wrong, with the key in the very value that is wrong.
            try bench.scratch.write(hub.connection + ";Nonsense", to: "hubs-news-connectionString")
            run.signal(SIGHUP)
            while try !bench.scratch.read("log").contains("not reloaded") { try Task.checkCancellation() }
            try bench.scratch.write(hub.connection, to: "hubs-news-connectionString")
            // As systemd's watchdog does. Swift's runtime writes a backtrace, and after one of a signal that came from outside
            // it stands still.
            run.signal(SIGABRT)
            while status == 400, kill(run.id, 0) == 0, try !bench.scratch.read("log").contains("Backtrace took") {
                try await Task.sleep(for: .milliseconds(20))
            }
            run.signal(SIGKILL)
            #expect([-SIGABRT, -SIGKILL].contains(await run.ended))

            Self.expectClean(try bench.scratch.read("log"), "log")
            Self.expectClean(try bench.scratch.read("output"), "output")
            let rows = try await bench.rows()
            #expect(rows.contains("news"))
            Self.expectClean(rows, "a table")
        }
    }

    private static func page(_ url: String) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "-s", "-i", "--noproxy", "*", url]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.hasPrefix("HTTP/"), "\(url)")
        return text
    }

    @Test(arguments: [401, 502]) func noCommandPrintsASecret(status: Int) async throws {
        try await ScriptedHub.run(Self.quoting(status)) { hub in
            let bench = try await Bench(hub)
            try await bench.enqueue()
            for command in [
                ["send", "--hub", "news", "--tag", "World", "--property", "a=b"],
                ["send", "--hub", "news", "--tag", "World", "--property", "a=b", "--json"],
                ["send", "--hub", "news", "--tag", "World", "--property", "a=b", "--test"],
                ["send", "--hub", "news", "--tag", "World", "--property", "a=b", "--dry-run"],
                ["drain", "--max-runtime", "1", "--log-level", "trace"],
                ["doctor"], ["doctor", "--json"], ["installation", "get", "--hub", "news", "x"],
                ["config", "print"], ["config", "print", "--json"], ["config", "check"],
                ["hub", "list"], ["hub", "show", "news"], ["hub", "show", "news", "--json"],
                ["message", "show", "1"], ["message", "list", "--json"], ["status"], ["migrate", "status"],
                ["device", "list"], ["device", "show", "phone"], ["device", "show", "phone", "--json"],
                ["doubt", "list"], ["--help"],
            ] {
                let ended = try await bench.fanfare.run(command)
                Self.expectClean(ended.output + ended.errors, "\(command)")
            }
            // The one command whose purpose it is.
            #expect(try await bench.fanfare("sas", "news").output.contains("sig="))
        }
    }

    @Test(arguments: [
        ("FANFARE_DATABASE_URL", "postgresql://u:hunter2@ho st:x/db"),
        ("FANFARE_DATABASE_URL", "host=/nowhere password=hunter2 nonsense"),
        ("FANFARE_DATABASE_URL", "postgresql://u:hunter2@127.0.0.1:1/db"),
        ("FANFARE_DATABASE_URL", "mysql://u:hunter2@h/db"),
        (
            "FANFARE_HUBS_NEWS_CONNECTIONSTRING",
            "Endpoint=http://example.org/;SharedAccessKeyName=a;SharedAccessKey=hunter2"
        ),
        ("FANFARE_HUBS_NEWS_CONNECTIONSTRING", "SharedAccessKey=hunter2"),
        ("FANFARE_HUBS_NEWS_CONNECTIONSTRING", "hunter2"),
        (
            "FANFARE_HUBS_NEWS_SECONDARYCONNECTIONSTRING",
            "Endpoint=sb://a/;SharedAccessKeyName=a;SharedAccessKey=hunter2="
        ),
        ("FANFARE_HUB_NEWS_CONNECTIONSTRING", "hunter2"),
        ("FANFARE_CONSOLE_METRICS_TOKEN", "hunter2"),
    ])
    func aSecretThatIsWrongIsNotQuoted(variable: String, value: String) async throws {
        var fanfare = BuiltProgram(settings: nil)
        let scratch = try ScratchDirectory()
        fanfare.environment = [variable: value]
        let path = try scratch.write(#"{"hubs": {"news": {"hub": "h"}}}"#, to: "config.json")
        for command in [["config", "check"], ["config", "print"], ["status"], ["doctor", "--offline"], ["run"]] {
            let ended = try await fanfare.run(command + ["--config", path])
            #expect(ended.status != 0, "\(command)")
            Self.expectClean(ended.output + ended.errors, "\(command)")
        }
    }

    /// A core dump holds every key; 1 byte is the limit at which the kernel hands it to no program either.
    @Test func noCoreDumpIsWritten() async throws {
        let service = try await ServiceBench()
        let run = try await service.start()
        let limits = try String(contentsOfFile: "/proc/\(run.id)/limits", encoding: .utf8)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        let words = core?.split(separator: " ").suffix(3).map(String.init) ?? []
        #expect(words.count == 3 && words[0] == words[1] && ["0", "1"].contains(words[0]), "\(core ?? "")")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }
}
