import Glibc
import ProgramSupport
import TestSupport
import Testing

/// `fanfare console run`: the pages of a team without a worker.
@Suite struct RunConsoleTests {
    private static let command = ["console", "run"]

    /// The cookie of a person who signed in.
    private static func signIn(_ name: String, password: String? = nil, at port: Int) async throws -> String? {
        let reply = try #require(
            await Loopback.ask(
                "POST", "/sign-in", port: port, headers: ["Sec-Fetch-Site": "same-origin"],
                body: "name=\(name)&password=\(password ?? name)"))
        return reply.values("set-cookie").first?.split(separator: ";").first.map(String.init)
    }

    private static func page(_ path: String, _ cookie: String, at port: Int) async throws -> Loopback.Reply {
        try #require(await Loopback.ask("GET", path, port: port, headers: ["Cookie": cookie]))
    }

    @Test func peopleOfTheSettingsSeePagesAndNoWorkerRuns() async throws {
        let service = try await ServiceBench()
        try await service.configureConsole(["ana": "look,operate", "ben": "look"], members: #""name": "trial""#)
        let console = try await service.start(as: Self.command)
        let port = try service.consolePort()

        #expect(try await Self.signIn("ana", password: "wrong", at: port) == nil)
        let ana = try #require(try await Self.signIn("ana", at: port))
        let page = try await Self.page("/", ana, at: port)
        #expect(page.status == 200 && page.body.contains("trial") && page.body.contains(">ana<"))
        #expect(try await Self.page("/audit", ana, at: port).status == 200)
        #expect(try await service.test.number("SELECT count(*) FROM push.worker") == 0)

        try await Self.refusesWhatOthersForge(ana, at: port)

        // A reload takes a right away, and a person.
        let ben = try #require(try await Self.signIn("ben", at: port))
        try await service.configureConsole(["ana": "look"], members: #""name": "trial""#)
        await service.reload(console)
        let again = try #require(try await Self.signIn("ana", at: port))
        #expect(try await Self.page("/audit", again, at: port).status == 403)
        #expect(try await Self.page("/", ben, at: port).status == 303)

        // Settings that are wrong leave the old ones in force.
        try service.scratch.write(#"{"console": "#, to: "config.json")
        await service.reload(console)
        #expect(try service.logged("not reloaded, the old settings stay", "problem").count == 1)
        #expect(try await Self.page("/", again, at: port).status == 200)

        console.signal(SIGTERM)
        #expect(await console.ended == 0)
    }

    /// Another site's form, another name of the host, and headers of proxies, all with the cookie of a person.
    private static func refusesWhatOthersForge(_ cookie: String, at port: Int) async throws {
        func status(_ method: String, _ path: String, _ headers: [String: String]) async throws -> Int {
            let headers = headers.merging(["Cookie": cookie]) { $1 }
            let body = method == "POST" ? "hub=news" : ""
            return try #require(await Loopback.ask(method, path, port: port, headers: headers, body: body)).status
        }
        let own = ["Sec-Fetch-Site": "same-origin"]
        #expect(try await status("POST", "/act/pause-hub", own) == 200)
        for site in [["Sec-Fetch-Site": "cross-site"], ["Origin": "http://evil.example"], [:]] {
            #expect(try await status("POST", "/act/pause-hub", site) == 403, "\(site)")
        }
        for (forged, refused) in [
            (["Host": "evil.example"], 421), (["X-Forwarded-For": "127.0.0.1"], 403),
            (["Forwarded": "for=127.0.0.1"], 403), (["Via": "1.1 here"], 403),
        ] {
            #expect(try await status("GET", "/", forged) == refused, "\(forged)")
            #expect(try await status("POST", "/act/pause-hub", forged.merging(own) { $1 }) == refused, "\(forged)")
        }
    }

    @Test func withoutAnAddressItSaysWhatToSet() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("console", "run")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("console.pages: is off") && ended.errors.contains("127.0.0.1:9470"), "\(ended)")
    }

    @Test func itNeedsNoKeyOfAHub() async throws {
        let service = try await ServiceBench()
        try await service.configureConsole(["ana": "look"])
        let text = try service.scratch.read("config.json")
        let connection = try #require(service.emulator.connectionString(for: "old")?.reveal())
        try service.scratch.write(text.replacing(connection, with: "Endpoint=none"), to: "config.json")
        let console = try await service.start(as: Self.command)
        let port = try service.consolePort()
        #expect(try await Self.signIn("ana", at: port) != nil)
        console.signal(SIGINT)
        #expect(await console.ended == 0)
    }

    /// Beside a worker, whose settings have all secrets there are.
    @Test func noPageHasASecretOrTheContentOfAMessage() async throws {
        let service = try await ServiceBench()
        try await service.configureConsole(
            ["ana": "look,operate,campaigns,approve"], members: #""metricsToken": "a-token-of-the-metrics""#)
        let settings = try service.scratch.read("config.json")
        let hash = try #require(settings.firstMatch(of: /\$scrypt\$[^"]+/)).output
        let key = try #require(settings.firstMatch(of: /SharedAccessKey=([^;"]+)/)).1
        let run = try await service.start()
        try await service.enqueue(1...3)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 3 }
        try await service.test.database.script(
            """
            SELECT push.create_campaign(
                'spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"message": "x"}}}');
            SELECT push.start_run('spring', 'first');
            """)
        let port = try service.consolePort()
        let cookie = try #require(try await Self.signIn("ana", at: port))
        let paths = [
            "/", "/hubs/news", "/messages", "/messages/1", "/failures", "/devices", "/audit", "/actions", "/about",
            "/campaigns", "/campaigns/new", "/campaigns/spring", "/campaigns/spring/edit",
            "/campaigns/spring/runs/first",
        ]
        let secrets = [String(hash), String(key), "a-token-of-the-metrics", "SharedAccessSignature", "no 2"]
        func expectClean(_ text: String, _ what: String) {
            for secret in secrets { #expect(!text.contains(secret), "\(what) shows \(secret)") }
        }
        for path in paths {
            let page = try await Self.page(path, cookie, at: port)
            #expect(page.status == 200, "\(path)")
            expectClean(page.body, path)
        }
        // What somebody wrote and did: the question, its answer, a form and the same as JSON.
        func send(_ path: String, _ form: String) async throws -> Loopback.Reply {
            let headers = ["Sec-Fetch-Site": "same-origin", "Cookie": cookie]
            let reply = try #require(await Loopback.ask("POST", path, port: port, headers: headers, body: form))
            expectClean(reply.head + reply.body, "\(path)?\(form)")
            return reply
        }
        let asked = try await send("/act/pause-hub", "hub=news")
        let number = try #require(asked.body.firstMatch(of: /name="confirmation" value="([^"]*)"/)).1
        let done = try await send("/act/pause-hub", "hub=news&confirmation=\(number)")
        let action = try #require(done.values("location").first)
        expectClean(try await Self.page(action, cookie, at: port).body, action)
        for deed in ["look", "json", "more"] {
            #expect(try await send("/campaigns/spring/edit", "hub=news&audience.tags=A&do=\(deed)").status == 200)
        }
        // The log says who signed in, and not by what.
        let wrong = try await Self.signIn("ana", password: "my+typed+password", at: port)
        #expect(wrong == nil)
        try await service.until("SELECT count(*) FROM push.hub_health WHERE state = 'paused'")
        let log = try service.scratch.read("log")
        #expect(log.contains("ana") && log.contains("console"))
        expectClean(log, "the log")
        for text in [cookie.split(separator: "=").last.map(String.init) ?? "", "my typed password", "my+typed"] {
            #expect(!text.isEmpty && !log.contains(text), "the log has \(text)")
        }
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }
}
