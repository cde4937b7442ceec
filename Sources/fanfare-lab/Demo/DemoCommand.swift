import CommandLineTool
import ArgumentParser
import Glibc
import PostgresServer
import Telemetry
import UnixSignals

/// `fanfare-lab demo`: what bin/demo runs.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show a whole run, with nothing but this machine.",
        discussion: """
            Starts a private PostgreSQL (a Unix socket, no port), a notification hub on loopback and a worker; enqueues \
            breaking news in three languages; prints what every phone shows, checks what it says, and takes \
            everything away again. Needs the programs of PostgreSQL and no settings: --config and --set are refused.

            Example: bin/demo --messages 20000
            """)

    @Option(
        help: ArgumentHelp("Also send this many messages and measure. 1 to 1000000.", valueName: "number"))
    var messages: Int?

    @Flag(help: "Stay up afterwards, for a look with psql and curl.") var keep = false
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        try require("--messages", messages, in: 1...1_000_000)
        if options.config != nil || !options.overrides.isEmpty {
            throw ValidationError("The demo has settings of its own: leave out --config and --set.")
        }
    }

    func run() async throws {
        // It would still be looked up, and what it says is about another server. Nothing else runs yet.
        unsetenv("PGSERVICE")
        let threshold = bootstrapLogging(level: options.logLevel ?? .error, format: options.logFormat ?? .auto)
        let trapped = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let starting = Task { try await TemporaryServer.start() }
        let signals = CleanupSignals(trapped) {
            threshold.level = .critical  // the worker would complain about the database that goes away under it
            // A server that could not be started has left nothing behind.
            if let server = try? await starting.value { await server.stop() }
            StandardStreams.printError("fanfare-lab: the demo was interrupted; nothing is left behind")
        }
        let run = DemoRun(
            page: json.isOn ? nil : DemoPage(style: .ofOutput(within: 80...100, usual: 96)),
            load: messages.map { DemoLoad(count: $0) },
            signals: signals)
        let outcome: Result<Void, any Error>
        do {
            try run.show { $0.title() }
            try await perform(run, on: try await starting.value)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await signals.standAside()
        // As above.
        if let server = try? await starting.value { await server.stop() }
        do {
            try outcome.get()
        } catch let error as TemporaryServerError {
            throw Failure(
                "the demo needs PostgreSQL's programs", because: "\(error)", hint: "bin/setup installs them.",
                status: .unavailable)
        }
    }

    private func perform(_ run: DemoRun, on server: TemporaryServer) async throws {
        let environment = try await DemoEnvironment.open(on: server)
        var facts: DemoResults
        do {
            facts = try await run.story(at: environment)
            if keep { try await stay(run, environment, facts) }
        } catch {
            // The first error is the one to report; while a signal ends everything there is nothing to close.
            if !run.signals.isLeaving { _ = try? await environment.close() }
            throw error
        }
        let summary = try await environment.close()
        await server.stop()
        facts.ended = DemoResults.Ended(isClean: summary.clean, isGone: access(server.directory, F_OK) != 0)
        try run.show { $0.end(facts, command: Self.typed) }
        if json.isOn, !keep { try StandardStreams.print(facts.json(directory: server.directory, psql: nil).document) }
        let wrong = facts.claims.filter { !$0.holds }
        guard wrong.isEmpty else {
            throw Failure(
                wrong.map { Failure.Complaint(what: "not true: \($0.text)", why: $0.found ?? "") },
                status: .internalFault)
        }
    }

    /// How it was most likely called: out of a checkout by the script, else by its name.
    private static var typed: String {
        CommandLine.arguments.first?.contains(".build/") == true ? "bin/demo" : "fanfare-lab demo"
    }

    private func stay(_ run: DemoRun, _ environment: DemoEnvironment, _ facts: DemoResults) async throws {
        if json.isOn {
            let json = facts.json(directory: environment.server.directory, psql: environment.psql)
            try StandardStreams.print(json.document)
            return await run.signals.stay()
        }
        let stay = DemoFollow(environment: environment, style: .ofOutput(within: 80...100, usual: 96))
        try StandardStreams.printStyled(stay.invitation)
        try await withThrowingTaskGroup { group in
            group.addTask { await run.signals.stay() }
            group.addTask { try await stay.printEverything() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
