import Configuration
import Logging
import Telemetry

/// The console in a process without a worker: `fanfare console run`.
public final class ConsoleProcess: Sendable {
    private let service: ConsoleService
    /// Those that it was started with: what only a start takes over stays as they have it.
    private let settings: Settings
    private let log: Logger
    private let threshold: LogThreshold?
    private let load: @Sendable () throws(SettingsError) -> Settings

    private init(
        _ service: ConsoleService, _ settings: Settings, log: Logger, threshold: LogThreshold?,
        load: @escaping @Sendable () throws(SettingsError) -> Settings
    ) {
        (self.service, self.settings, self.log) = (service, settings, log)
        (self.threshold, self.load) = (threshold, load)
    }

    /// Listens at `console.pages`. The database may be away: pages say so.
    ///
    /// - Parameters:
    ///   - settings: of the scope `.pages`.
    ///   - version: of the program.
    ///   - threshold: takes a new `log.level`; nil: the level stays.
    ///   - load: reads the settings again, for a reload.
    /// - Throws: `SettingsError` where `console.pages` is off; `HealthServerError` when it cannot listen there.
    public static func start(
        _ settings: Settings, version: String, log: Logger, threshold: LogThreshold? = nil,
        load: @escaping @Sendable () throws(SettingsError) -> Settings
    ) async throws -> ConsoleProcess {
        guard let service = try await ConsoleService.start(settings, version: version, log: log) else {
            throw SettingsError(problems: [.noPages], warnings: [])
        }
        return ConsoleProcess(service, settings, log: log, threshold: threshold, load: load)
    }

    /// Reads the settings again, and lets people in by them from the next request on. With a problem the old ones stay.
    public func reload() {
        let new: Settings
        do throws(SettingsError) {
            new = try load()
        } catch {
            for problem in error.problems {
                log.error("not reloaded, the old settings stay", metadata: ["problem": "\(problem)"])
            }
            return
        }
        for warning in new.warnings { log.warning("\(warning)") }
        let changes = settings.changes(to: new)
        // A worker would begin anew for another database.
        let waiting = changes.keys.filter {
            $0.hasPrefix("database.") || $0.hasPrefix("console.") && changes.waiting.contains($0)
        }
        if !waiting.isEmpty {
            log.warning("these settings wait for a restart", metadata: ["keys": "\(waiting.joined(separator: ", "))"])
        }
        threshold?.level = new.log.level
        service.adopt(new)
        log.notice("reloaded")
    }

    /// Closes every connection and session.
    public func stop() async { await service.stop() }
}
