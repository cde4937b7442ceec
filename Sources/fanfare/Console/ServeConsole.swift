import ArgumentParser
import CommandLineTool
import Configuration
import Console
import Daemon
import Foundation
import Logging
import PushModel
import PushWorker
import Store

/// `fanfare console`
struct ServeConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the console's pages to one person, on this machine, until Ctrl-C.",
        discussion: """
            Prints a link that opens the pages once, within a minute; the browser that used it stays in. The person is the \
            login of the database, with its own rights: nothing is shown that psql would not show. No worker runs here. For \
            several people, set console.pages for fanfare run.

            Example: fanfare console --listen 127.0.0.1:9470
            """)

    @Option(
        help: ArgumentHelp("Where to listen, on the loopback; port 0: any free one.", valueName: "address:port"),
        transform: { text in
            guard let address = ListenAddress(text), address.isLoopback else {
                throw ValidationError(
                    "--listen is \"\(text)\": an address of this machine alone, such as 127.0.0.1:9470. Others reach the pages "
                        + "of fanfare run, by console.pages.")
            }
            return address
        })
    var listen = ListenAddress(host: "127.0.0.1", port: 0)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        let settings = try options.settings(.database)
        let log = Logger(label: "fanfare.console")
        let access = try await options.withDatabase(settings: settings) { database in
            try await RoleAccess.read(from: database)
        }
        let warnings = SpokenWarnings()
        var consoleOptions = settings.consoleOptions(version: fanfareVersion)
        consoleOptions.basePath = ""
        let door = LinkDoor(
            for: Person(access.name, rights: access.rights, sharesLogin: false), options: consoleOptions,
            listening: listen.host, clock: Clock.system.monotonic)
        let console = Console(
            consoleOptions, behind: door,
            pages: settings.makeDatabase(log: log, sessions: Console.sessions.pages),
            acting: settings.makeDatabase(log: log, sessions: Console.sessions.acting, warnings: warnings),
            warnings: warnings, clock: Clock.system.monotonic, now: Clock.system.wall)
        let signals = await Signals(log: log, reload: {}, dump: {})
        let port = try await Failure.saying("cannot serve the console") {
            try await console.start(host: listen.host, port: listen.port)
        }
        let address = ListenAddress(host: listen.host, port: port)
        try StandardStreams.print("http://\(address)\(door.link.reveal())")
        StandardStreams.printProgress(
            "Open it within a minute: it works once. You are \(access.name). Ctrl-C ends the console.\n")
        await signals.stop.wait()
        await console.stop()
    }
}

extension RoleAccess {
    /// What the login may do in the console, by the roles that it is a member of.
    var rights: Set<PersonRight> {
        isOwner
            ? Set(PersonRight.allCases)
            : Set(PersonRight.allCases.filter { Group(rawValue: $0.role).map(groups.contains) ?? false })
    }
}
