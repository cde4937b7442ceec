import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/cron.md, and the same commands in units and manifests: each runs as its scheduler would run it.
@Suite struct CronTests {
    /// One line of a crontab, read as cron reads it.
    private struct Line {
        let schedule: String
        /// As the shell gets it: `\%` becomes `%`.
        let command: String

        init?(_ line: Substring) {
            guard let match = line.wholeMatch(of: /((?:[0-9*\/,-]+ +){4}[0-9*\/,-]+) +(.+)/) else { return nil }
            // An unescaped % ends the command, and the rest becomes its input.
            guard !match.2.contains(/(?:[^\\])%/) else { return nil }
            schedule = String(match.1)
            command = String(match.2).replacing("\\%", with: "%")
        }
    }

    /// A command of a document, with the settings and directories of this test.
    private func own(_ command: String, _ bench: WorkerBench) -> String {
        command.replacing("/etc/fanfare/config.json", with: bench.settings).replacing(
            "/var/log/fanfare", with: bench.folder.path)
    }

    private func shell(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await Tool.shell(
            ["-c", own(command, bench)],
            environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
            in: URL(filePath: bench.folder.path))
    }

    @Test func everyCrontabLineWorksAndIsSafeToRepeat() async throws {
        let bench = try await WorkerBench.make()
        let block = try #require(try Page("docs/cron.md").blocks("crontab").first)
        let text = block.text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains(/^[A-Z_]+=/) }
        let lines = text.compactMap(Line.init)
        #expect(lines.count == text.count, "cron cannot read every line")
        let enqueue = try #require(lines.first { $0.command.contains(" enqueue ") })
        let drain = try #require(lines.first { $0.command.contains(" drain ") })

        for command in [enqueue, enqueue, drain, drain] {
            let ended = try await shell(command.command, bench)
            #expect(ended.status == 0 && ended.output.isEmpty, "\(command.command): \(ended)")
        }

        let enqueued = try documents(in: bench.folder.read("enqueue.log"))
        #expect(enqueued.map { $0["inserted"] as? Int } == [1, 0])
        let drained = try documents(in: bench.folder.read("drain.log"))
        #expect(drained.map { $0["accepted"] as? Int } == [1, 0])
        #expect(bench.worker.taken.count == 1)
    }

    /// The drain of the crontab, started while an earlier run is still at work.
    @Test func anOverlappingRunExitsWith75AndTheFirstGoesOn() async throws {
        let bench = try await WorkerBench.make()
        var slow = Fault(.next(1))
        slow.delayMilliseconds = 20_000
        try bench.worker.emulator.add(slow)
        try await bench.worker.enqueue(1)
        let block = try #require(try Page("docs/cron.md").blocks("crontab").first)
        let line = try #require(
            block.text.split(separator: "\n").compactMap(Line.init).first { $0.command.contains(" drain ") })

        let first = Task { try await shell(line.command, bench) }
        try await bench.worker.untilStruck()
        let second = try await shell(line.command, bench)
        bench.worker.emulator.clearFaults()
        #expect(second.status == 75, "\(second)")
        #expect(try await first.value.status == 0)
        #expect(try await bench.worker.statuses() == "accepted 1")
    }

    /// Debian's cron has one time zone for all jobs.
    @Test func theCrontabLineForAnotherTimeZoneSendsAtSevenThere() async throws {
        let bench = try await WorkerBench.make()
        let block = try #require(try Page("docs/cron.md").blocks("crontab").last)
        let line = try #require(Line(Substring(block.text)), "cron cannot read it")
        #expect(line.schedule == "0 12 * * 0-4")
        for _ in 1...2 {
            let ended = try await shell(line.command, bench)
            #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
        }
        #expect(try documents(in: bench.folder.read("enqueue.log")).map { $0["inserted"] as? Int } == [1, 0])
        #expect(try await bench.worker.test.texts("\(raw: Self.atSevenOnItsDay)") == ["true"])
    }

    /// Whether each message is sent at seven in Paris, on the day that its key names.
    private static let atSevenOnItsDay = """
        SELECT (send_at AT TIME ZONE 'Europe/Paris' = right(dedupe_key, 10)::date + time '07:00')::text
          FROM push.message
         WHERE dedupe_key LIKE 'good-morning-%'
        """

    /// The units of the page: what systemd says of them, and their command.
    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice))
    func theTimerForAnotherTimeZoneIsUnderstoodAndItsCommandRuns() async throws {
        let bench = try await WorkerBench.make()
        let units = try Page("docs/cron.md").blocks("ini")
        for unit in units {
            try bench.folder.write(unit.text + "\n", to: String(unit.info.dropFirst("ini ".count)))
        }
        let verified = try await Tool.systemd(
            ["verify", "--man=no", bench.folder.url("good-morning.timer").path()])
        #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)")

        let timer = try bench.folder.read("good-morning.timer")
        let time = try #require(timer.firstMatch(of: /(?m)^OnCalendar=(.+)$/)?.1)
        let next = try await Tool.systemd(["calendar", String(time)])
        #expect(next.output.contains(": Mon..Fri *-*-* 07:00:00 Europe/Paris\n"), "\(next)")

        let service = try bench.folder.read("good-morning.service")
        let command = try #require(service.firstMatch(of: /(?m)^ExecStart=\/bin\/sh -c '(.+)'$/)?.1)
        let zone = try #require(service.firstMatch(of: /(?m)^Environment=(TZ=.+)$/)?.1)
        let ended = try await shell(
            "export \(zone); \(command.replacing("%%", with: "%").replacing("$$", with: "$"))", bench)
        #expect(ended.status == 0, "\(ended)")
        #expect(
            try await bench.worker.test.texts(
                """
                SELECT (dedupe_key = 'good-morning-' || (created_at AT TIME ZONE 'Europe/Paris')::date)::text
                  FROM push.message
                """) == ["true"])
    }

    @Test func theOtherCommandsOfThePageRunToo() async throws {
        let bench = try await WorkerBench.make()
        try bench.folder.write(
            #"{"hub": "news", "tag": "World", "content": {"message": "one"}}"# + "\n", to: "messages.jsonl")
        let page = try Page("docs/cron.md")
        let blocks = page.blocks("sh").filter { $0.info == "sh" }
        #expect(blocks.count == 3)
        for block in blocks {
            let ended = try await shell(block.text, bench)
            #expect(ended.status == 0, "\(page.path) \(block): \(ended)")
        }
        #expect(try await bench.worker.statuses() == "accepted 1, scheduled 1")
        #expect(try bench.folder.read("fanfare.prom").contains("\nfanfare_drain_last_success_timestamp_seconds "))
        for block in page.blocks("sh") {
            #expect(try await Tool.shell(["-n"], input: block.text).status == 0, "\(block)")
        }
    }

    @Test func theCommandOfTheDrainUnitSucceeds() async throws {
        let bench = try await WorkerBench.make()
        try await bench.worker.enqueue(1)
        let unit = try Repository.text("deploy/systemd/fanfare-drain@.service")
        let command = try #require(unit.firstMatch(of: /(?m)^ExecStart=\/usr\/bin\/(.+)$/)?.1)
        let ended = try await shell(String(command).replacing("%i", with: "nightly"), bench)
        #expect(ended.status == 0, "\(ended)")
        #expect(try await bench.worker.statuses() == "accepted 1")
    }

    /// Runs the command of each container; of a worker only its help, because a worker does not end.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyContainerRunsACommandThatExists() async throws {
        let bench = try await WorkerBench.make()
        try await bench.worker.test.database.script(
            """
            SELECT push.create_campaign(
                'weekly-digest', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"title": "Your week"}}}')
            """)
        var ran: Set<String> = []
        for file in try Repository.files(in: "deploy/kubernetes") {
            for words in try await YAML.commands("deploy/kubernetes/\(file)") {
                // `sh -c TEXT`, or the image's entry point with arguments.
                var line = words[0] == "sh" ? words[2] : words.joined(separator: " ")
                // These go on until they are stopped.
                if ["fanfare run", "fanfare console run"].contains(line) { line += " --help" }
                let ended = try await shell(line, bench)
                #expect(ended.status == 0, "\(file): \(line): \(ended)")
                ran.insert(file)
            }
        }
        #expect(
            ran == [
                "deployment.yaml", "migrate.yaml", "drain.yaml", "enqueue.yaml", "campaign.yaml", "console.yaml",
            ])
        for file in ["compose.yaml", "compose.hub.yaml"] {
            let services = try #require(
                try await YAML.read("deploy/\(file)")[0]["services"] as? [String: [String: Any]])
            for (name, service) in services {
                guard let image = service["image"] as? String, let command = service["command"] as? [String] else {
                    continue
                }
                let ended = try await shell("\(image) \(command.joined(separator: " ")) --help", bench)
                #expect(ended.status == 0, "\(file): \(name): \(ended)")
            }
        }
    }

    @Test(.enabled(if: Server.withCron.isExpected, Tool.advice))
    func pgCronTakesTheJobsAndEachEnqueuesOncePerDay() async throws {
        let blocks = try Page("docs/cron.md").blocks("sql").filter { $0.info == "sql pg_cron" }
        let database = try await Server.makeWithCron()
        try await database.script(
            "CREATE ROLE cron_backend LOGIN IN ROLE push_enqueue; GRANT USAGE ON SCHEMA cron TO cron_backend")
        for block in blocks { try await database.script("SET ROLE cron_backend; \(block.text) RESET ROLE") }
        let jobs = try await database.query("SELECT schedule, command, username FROM cron.job ORDER BY jobid") { rows in
            try rows.map { row in (try row.string(), try row.string(), try row.string()) }
        }
        #expect(jobs.map(\.0) == ["0 7 * * *", "0 12 * * 0-4"])
        #expect(jobs.allSatisfy { $0.2 == "cron_backend" }, "\(jobs)")
        for job in jobs + jobs { try await database.script("SET ROLE cron_backend; \(job.1); RESET ROLE") }
        let messages = try await database.query(
            "SELECT dedupe_key = 'good-morning-' || current_date FROM push.message ORDER BY id"
        ) { rows in try rows.map { row in try row.bool() } }
        #expect(messages == [true, false])
        let times = try await database.query("\(raw: Self.atSevenOnItsDay) AND send_at > now()") { rows in
            try rows.map { row in try row.string() }
        }
        #expect(times == ["true"])
        await database.close()
    }
}

extension CronTests {
    /// The example of "When does it run?" needs neither settings nor a database.
    @Test func theNextTimesAreShownAsTheDocumentSays() async throws {
        let page = try Page("docs/cron.md")
        let command = try #require(page.blocks("sh").first { $0.info == "sh schedule" }).text
        let shown = try #require(page.blocks("text").first { $0.info == "text schedule" }).text
        let ended = try await Tool.shell(
            ["-c", command], environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"])
        #expect(ended.status == 0 && ended.output == shown + "\n", "\(ended)")
    }
}

/// JSON objects one after the other, as commands print them: on one line, or with indented members.
private func documents(in text: String) throws -> [[String: Any]] {
    try ("\n" + text).components(separatedBy: "\n{").dropFirst().map { document in
        let value = try JSONSerialization.jsonObject(with: Data(("{" + document).utf8))
        return try #require(value as? [String: Any])
    }
}
