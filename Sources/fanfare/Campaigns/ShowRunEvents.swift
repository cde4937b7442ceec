import ArgumentParser
import CommandLineTool
import Concurrency
import Postgres
import PushModel
import Store

/// `fanfare campaign events`
struct ShowRunEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "What happened to runs: started, paused, ended; also as it happens.",
        discussion: """
            One line for each event, in the order in which it was recorded: the mark, when, campaign and run, the event with \
            the state before and after, who, and why. Events are start and those of fanfare campaign states --form reasons. \
            A reader that keeps the mark of the last line and goes on with --after misses none. JSON lines with --json.

            With --follow it waits for more until it is interrupted or nobody reads its output; a database that is away is \
            waited for, and nothing is missed meanwhile. docs/campaigns.md has a webhook made of it.

            Example: fanfare campaign events --follow --json --after 1042
            """)

    @Argument(help: "Name of the campaign. Default: all.") var campaign: String?

    @Option(
        help: ArgumentHelp(
            "Only what came after this mark; 0: all that is kept. Default: 0, with --follow from now on.",
            valueName: "mark"))
    var after: String?

    @Flag(help: "Wait for more.") var follow = false
    @Option(help: ArgumentHelp("End after this many events. Default: no limit.", valueName: "n")) var limit: Int?
    @OptionGroup var options: ReportOptions

    /// Events in one statement.
    static let page = 1000

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        try await options.common.withDatabase { database in
            var place = Place(mark: after ?? (follow ? nil : "0"), left: limit ?? .max)
            guard follow else { return try await read(database, &place) }
            let listener = try database.listener(on: CampaignStore.eventChannel)
            try await withCleanup {
                try await readOn(database, &place, listener)
            } then: {
                await listener.close()
            }
        }
    }

    /// How far it has read, and how many events it may still show.
    struct Place {
        var mark: String?
        var left: Int
    }

    /// Shows all there is after the place.
    private func read(_ database: Database, _ place: inout Place) async throws {
        let campaigns = CampaignStore(database: database)
        while place.left > 0 {
            let page = try await campaigns.events(
                after: place.mark, of: campaign, most: Int32(min(Self.page, place.left)))
            for event in page.events {
                try StandardStreams.print(options.json.isOn ? Self.json(event) : Self.line(event))
            }
            place.mark = page.mark
            place.left -= page.events.count
            guard page.hasMore else { return }
        }
    }

    /// Shows new events until the limit, or until nobody reads them: at once while the listener is connected, else
    /// within a second. A notification is a hint, so it looks every ten seconds without one.
    private func readOn(_ database: Database, _ place: inout Place, _ listener: ChannelListener) async throws {
        let (looks, look) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let _: Void = {
            for await _ in listener.changes { look.yield() }
        }()
        async let _: Void = {
            var seconds = 0
            // Sleeping fails when nobody follows any more.
            while StandardStreams.hasReader, (try? await Task.sleep(for: .seconds(1))) != nil {
                seconds += 1
                if !listener.isListening || seconds.isMultiple(of: 10) { look.yield() }
            }
            look.finish()
        }()
        var isAway = false
        look.yield()
        for await _ in looks {
            do {
                try await read(database, &place)
                if isAway { StandardStreams.printError("the database is back, and nothing was missed") }
                isAway = false
            } catch let error as DatabaseError where error.isTransient {
                if !isAway { Failure(of: error).map { StandardStreams.printError("\($0.text())\nwaiting for it") } }
                isAway = true
            }
            if place.left == 0 { return }
        }
    }

    /// Pure.
    static func line(_ event: CampaignStore.Event) -> String {
        let change = event.was.map { $0 == event.state ? $0 : "\($0) → \(event.state)" } ?? event.state
        let words = [
            event.mark, event.at, "\(event.campaign) \(event.key)", "\(event.event): \(change)", event.who, event.why,
        ]
        return words.compactMap(\.self).joined(separator: "  ").onOneLine
    }

    /// Pure.
    static func json(_ event: CampaignStore.Event) -> String {
        JSONOutput.object([
            "mark": .text(event.mark), "event": .text(event.event), "at": .text(event.at),
            "campaign": .text(event.campaign), "key": .text(event.key), "run": .number(event.run),
            "was": .text(event.was), "state": .text(event.state), "why": .text(event.why), "who": .text(event.who),
        ]).line
    }
}
