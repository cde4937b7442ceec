import Configuration
import Console
import HTTPServer
import Logging
import PushWorker

/// The console of a worker's process: pages at `console.pages`, with a listener and sessions of their own. It follows reloads, and a
/// worker that waits for its database or stops does not end it.
struct ConsoleService: Sendable {
    private let console: Console
    private let door: SignInDoor
    private let version: String

    /// Listens.
    ///
    /// - Parameter version: of the program.
    /// - Returns: nil: `console.pages` is off.
    /// - Throws: `HealthServerError` when it cannot listen on the address.
    static func start(
        _ settings: Settings, version: String, log: Logger
    ) async throws(HealthServerError) -> ConsoleService? {
        guard let address = settings.console.pages else { return nil }
        let service = ConsoleService(settings, at: address, version: version, log: log)
        do {
            let port = try await service.console.start(host: address.host, port: address.port)
            let at = ListenAddress(host: address.host, port: port)
            log.notice("serving the console", metadata: ["at": "http://\(at)\(settings.console.basePath)/"])
            return service
        } catch {
            throw HealthServerError(address: address, setting: "console.pages", why: "\(error)")
        }
    }

    private init(_ settings: Settings, at address: ListenAddress, version: String, log: Logger) {
        self.version = version
        let options = settings.consoleOptions(version: version)
        let door = SignInDoor(
            settings.doorSettings, options: options, listening: address.host, clock: Clock.system.monotonic,
            now: Clock.system.wall, heard: SignInLog(log).note)
        self.door = door
        let own = settings.withConsoleLogin
        let warnings = SpokenWarnings()
        console = Console(
            options, behind: door,
            pages: own.makeDatabase(log: log, sessions: Console.sessions.pages),
            acting: own.makeDatabase(log: log, sessions: Console.sessions.acting, warnings: warnings),
            warnings: warnings, clock: Clock.system.monotonic, now: Clock.system.wall)
    }

    /// After a reload: people, names and ways as the new settings have them. Address, base path and database wait for a restart.
    func adopt(_ settings: Settings) {
        let options = settings.consoleOptions(version: version)
        console.replace(options)
        door.replace(settings.doorSettings, options)
    }

    func stop() async { await console.stop() }
}
