import CommandLineTool
import ArgumentParser
import Postgres
import PushModel
import Store

/// `fanfare message cancel`
struct CancelMessages: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stop messages that were not posted yet, by id, of a whole campaign or of a hub.",
        discussion: """
            Says for each message: cancelled (it will not be sent), too_late (it was posted, or is final) or unknown \
            (no message has that id). Exits 65 unless all are cancelled. Of a campaign or a hub it says how many were \
            cancelled and how many are on the wire, of a campaign also how many were sent before, and exits 0. --hub is \
            for hubs that were taken out of the settings: otherwise their messages wait until they expire.

            Example: fanfare message cancel --campaign spring --run 2027-03-01
            """)

    @Argument(help: "Ids of the messages.") var ids: [Int64] = []
    @Option(help: "Everything of this campaign that was not posted yet.") var campaign: String?
    @Option(help: "With --campaign: only this run of it.") var run: String?
    @Option(help: "Everything of this hub that was not posted yet.", completion: .hub) var hub: String?
    @OptionGroup var options: ReportOptions

    func validate() throws {
        switch (ids.isEmpty, campaign, hub) {
        case (false, nil, nil), (true, .some, nil), (true, nil, .some): break
        default:
            throw ValidationError("Name the messages by their ids, or --campaign NAME, or --hub NAME: one of these.")
        }
        if run != nil, campaign == nil { throw ValidationError("--run goes with --campaign.") }
    }

    func answer(_ database: Database) async throws -> Report {
        if campaign != nil || hub != nil { return try await cancelMany(in: database) }
        var answers: [(id: Int64, answer: String)] = []
        for id in ids { answers.append((id, try await cancel(id, in: database))) }
        return Self.report(answers)
    }

    static func report(_ answers: [(id: Int64, answer: String)]) -> Report {
        Report(
            answers.map { "\($0.id) \($0.answer)" }.joined(separator: "\n"),
            .list(answers.map { .object(["id": .number($0.id), "answer": .text($0.answer)]) }),
            status: answers.allSatisfy { $0.answer == "cancelled" } ? .ok : .badInput)
    }

    private func cancel(_ id: Int64, in database: Database) async throws(DatabaseError) -> String {
        do throws(DatabaseError) {
            return try await Messages(database: database).cancel(id)
        } catch {
            guard error.is(.noDataFound) else { throw error }
            return "unknown"
        }
    }

    /// The messages of `campaign`, or of `hub`.
    private func cancelMany(in database: Database) async throws -> Report {
        let messages = Messages(database: database)
        var tooLate: Int64 = 0
        let cancelled = try await Batches.count("cancelled") { (mark: String?) in
            let done =
                if let hub {
                    try await messages.cancel(hub: hub, after: mark)
                } else {
                    try await messages.cancel(campaign: campaign ?? "", run: run, after: mark)
                }
            tooLate += done.tooLate
            return (done.cancelled, done.next)
        }
        return report(cancelled: cancelled, tooLate: tooLate, sent: try await sentBefore(messages))
    }

    /// Messages of the campaign that were sent before, at most `countedAtMost`; nil: no campaign is asked for.
    private func sentBefore(_ messages: Messages) async throws(DatabaseError) -> Int? {
        guard let campaign else { return nil }
        var search = MessageSearch(limit: Self.countedAtMost)
        search.campaign = campaign
        search.run = run
        search.status = "accepted"
        search.since = .ago("30d")
        return try await messages.find(search).count
    }

    private static let countedAtMost: Int32 = 1000

    /// `3 messages cancelled, 2 too late: they are on the wire, 40 sent before`.
    func report(cancelled: Int64, tooLate: Int64, sent: Int?) -> Report {
        var parts = ["\(HumanFormat.count(cancelled, "message")) cancelled"]
        if tooLate > 0 { parts.append("\(tooLate) too late: they are on the wire") }
        switch sent {
        case nil: break
        case 0 where cancelled + tooLate == 0: parts.append("none was sent in the last 30 days")
        case 0: parts.append("none sent before")
        case .some(let sent): parts.append("\(sent)\(sent == Self.countedAtMost ? " or more" : "") sent before")
        }
        return Report(
            parts.joined(separator: ", "),
            [
                "campaign": .text(campaign), "run": .text(run), "hub": .text(hub), "cancelled": .number(cancelled),
                "too_late": .number(tooLate), "sent_before": .number(sent),
            ])
    }
}
