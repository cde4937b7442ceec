import ArgumentParser
import CommandLineTool
import Store

/// `fanfare purge`
struct PurgeCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Forget messages that are old and final, and keys and counters beyond their time.",
        discussion: """
            Deletes messages that were enqueued so long ago and have been final for so long, with their posts and \
            results: whole partitions at once where it can, else batch by batch. Messages that are pending, held or in \
            doubt are kept and named. Made for cron: it never waits for a lock for longer than 0.2 s.

            Example: fanfare purge --older-than 30d
            """)

    @Option(
        help: ArgumentHelp("Age from which on messages and counters go, such as 30d or 8w.", valueName: "age"),
        transform: DayCount.init(argument:))
    var olderThan: DayCount

    @Option(
        help: ArgumentHelp("Age from which on entries of the audit go. Default: 365d.", valueName: "age"),
        transform: DayCount.init(argument:))
    var keepAudit = DayCount(days: 365)

    @Option(help: ArgumentHelp("Rows to look at in one transaction, 1 to 1000000.", valueName: "rows"))
    var batch: Int32 = 10_000

    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--batch", batch, in: 1...1_000_000) }

    func answer(_ database: Database) async throws -> Report {
        var done: [Purge.Step] = []
        var last: [Purge.Step]
        let progress = ProgressLine()
        repeat {
            last = try await Purge.step(
                in: database, olderThan: olderThan.interval, batch: batch, keepAudit: keepAudit.interval)
            for step in last where step.isDeletion { Self.add(step, to: &done) }
            await progress.show(last.last.map { "\($0.what): \($0.action)" } ?? "nothing is old")
        } while last.contains(where: \.isProgress)
        await progress.end()
        return report(done + last)  // what is kept stands last
    }

    func report(_ steps: [Purge.Step]) -> Report {
        Report(
            steps, [.text("WHAT"), .text("ACTION"), .number("ROWS"), .prose("NOTE")],
            none: "nothing is older than \(olderThan)"
        ) {
            [$0.what, $0.action, $0.n.map { "\($0)" }, $0.note]
        } json: {
            .object([
                "what": .text($0.what), "action": .text($0.action), "rows": .number($0.n), "note": .text($0.note),
            ])
        }
    }

    /// Batches of one table are one line.
    private static func add(_ step: Purge.Step, to done: inout [Purge.Step]) {
        if step.action == "deleted", let index = done.firstIndex(where: { $0.what == step.what }) {
            done[index].n = (done[index].n ?? 0) + (step.n ?? 0)
        } else {
            done.append(step)
        }
    }
}

/// How old something is, in days or weeks: `30d`, `8w`.
struct DayCount: CustomStringConvertible {
    let days: Int

    /// - Throws: `ValidationError` that says what an age looks like.
    init(argument: String) throws {
        guard let age = argument.wholeMatch(of: /([0-9]{1,5})(d|w)/), let number = Int(age.1), number > 0 else {
            throw ValidationError("an age is a day at least, in days or weeks, such as 1d, 30d or 8w")
        }
        days = age.2 == "w" ? number * 7 : number
    }

    init(days: Int) { self.days = days }

    /// As PostgreSQL reads an interval.
    var interval: String { "\(days) days" }
    var description: String { "\(days)d" }
}
