import ArgumentParser
import Daemon
import Store

/// `fanfare doubt resolve`
struct ResolveDoubts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide messages in doubt: delivered, given up, or sent again.",
        discussion: """
            accepted: they were delivered after all. rejected: give them up. resend: send them again; a device may get \
            them twice. Exits 65 when an id is not in doubt (any more); the others are decided all the same.

            Example: fanfare doubt resolve --all --hub news --as rejected --yes
            """)

    @Argument(help: "Ids of the messages.")
    var ids: [Int64] = []

    @Option(name: .customLong("as"), help: "What is decided.")
    var decision: Doubts.Decision

    @Flag(help: "Decide every message in doubt of --hub.")
    var all = false

    @Option(help: "The hub for --all.")
    var hub: String?

    @Flag(help: "Confirms --all.")
    var yes = false

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard all else {
            if ids.isEmpty { throw ValidationError("Name the messages by their ids, or use --all --hub NAME --yes.") }
            if hub != nil { throw ValidationError("--hub goes with --all.") }
            return
        }
        if !ids.isEmpty { throw ValidationError("Name ids or use --all, not both.") }
        guard let hub else { throw ValidationError("--all needs --hub NAME.") }
        guard yes else {
            throw ValidationError("--all decides every message in doubt of hub \"\(hub)\": confirm it with --yes.")
        }
    }

    func run() async throws {
        try await options.withDatabase { database in
            let doubts = Doubts(database: database)
            var chosen = ids
            if all { chosen = try await doubts.list(hub: hub, limit: .max).map(\.id) }
            let decided = chosen.isEmpty ? 0 : try await doubts.resolve(chosen, as: decision)
            if json.isOn {
                let document: JSONValue = .object([
                    "asked": .number(chosen.count), "decided": .number(decided), "as": .text(decision.rawValue),
                ])
                try Console.print(document.document)
            } else {
                try Console.print("\(decided) of \(Words.count(chosen.count, "message")) decided: \(decision.rawValue)")
            }
            if !all, decided < Set(ids).count { throw ExitCode(ExitStatus.badInput.rawValue) }
        }
    }
}

extension Doubts.Decision: ExpressibleByArgument {}
