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

    @Test func theOtherCommandsOfThePageRunToo() async throws {
        let bench = try await WorkerBench.make()
        try bench.folder.write(
            #"{"hub": "news", "tag": "World", "content": {"message": "one"}}"# + "\n", to: "messages.jsonl")
        let page = try Page("docs/cron.md")
        let blocks = page.blocks("sh").filter { $0.info == "sh" }
        #expect(blocks.count == 2)
        for block in blocks {
            let ended = try await shell(block.text, bench)
            #expect(ended.status == 0, "\(page.path) \(block): \(ended)")
        }
        #expect(try await bench.worker.statuses() == "accepted 1, scheduled 1")
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
        var ran: Set<String> = []
        for file in try Repository.files(in: "deploy/kubernetes") {
            for words in try await YAML.commands("deploy/kubernetes/\(file)") {
                // `sh -c TEXT`, or the image's entry point with arguments.
                var line = words[0] == "sh" ? words[2] : words.joined(separator: " ")
                if line == "fanfare run" { line += " --help" }
                let ended = try await shell(line, bench)
                #expect(ended.status == 0, "\(file): \(line): \(ended)")
                ran.insert(file)
            }
        }
        #expect(ran == ["deployment.yaml", "migrate.yaml", "drain.yaml", "enqueue.yaml"])
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
    func pgCronTakesTheJobAndTheJobEnqueuesOncePerDay() async throws {
        let block = try #require(try Page("docs/cron.md").blocks("sql").first { $0.info == "sql pg_cron" })
        let database = try await Server.makeWithCron()
        try await database.script(
            "CREATE ROLE cron_backend LOGIN IN ROLE push_enqueue; GRANT USAGE ON SCHEMA cron TO cron_backend")
        try await database.script("SET ROLE cron_backend; \(block.text) RESET ROLE")
        let job = try await database.query("SELECT schedule, command, username FROM cron.job") { rows in
            try rows.map { row in (try row.string(0), try row.string(1), try row.string(2)) }
        }
        #expect(job.count == 1 && job[0].0 == "0 7 * * *" && job[0].2 == "cron_backend", "\(job)")
        for _ in 1...2 { try await database.script("SET ROLE cron_backend; \(job[0].1); RESET ROLE") }
        let messages = try await database.query(
            "SELECT dedupe_key = 'good-morning-' || current_date FROM push.message"
        ) { rows in try rows.map { row in try row.bool(0) } }
        #expect(messages == [true])
        await database.close()
    }
}

/// JSON objects one after the other, as commands print them: on one line, or with indented members.
private func documents(in text: String) throws -> [[String: Any]] {
    try ("\n" + text).components(separatedBy: "\n{").dropFirst().map { document in
        let value = try JSONSerialization.jsonObject(with: Data(("{" + document).utf8))
        return try #require(value as? [String: Any])
    }
}
