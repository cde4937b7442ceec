import ArgumentParser
import CommandLineTool
import Configuration
import Daemon
import Logging
import PushModel
import PushWorker

/// `fanfare console run`
struct RunConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve the console's pages to the people of the settings, without a worker.",
        discussion: """
            For a machine of its own: listens at console.pages, and lets in the people of console.users, as fanfare run does \
            beside its worker. Keys of hubs are not needed. Waits for its database: pages say that it is away. SIGTERM or SIGINT \
            ends it. SIGHUP: reads file and credentials again; if anything is wrong with them the old settings stay and the log \
            says why. Run one: what a person began, and the numbers that make double clicks safe, are of one process.

            Example: fanfare console run --config /etc/fanfare/config.json
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        let (settings, threshold) = try options.settingsAndThreshold(.pages)
        let log = Logger(label: "fanfare.console")
        let systemd = SystemdNotify.takeFromEnvironment()
        let options = options
        let console = try await Failure.saying("cannot serve the console") {
            try await ConsoleProcess.start(settings, version: fanfareVersion, log: log, threshold: threshold) {
                () throws(SettingsError) in
                try options.loadSettings(.pages)
            }
        }
        let reload: @Sendable () -> Void = {
            systemd?.inform(log, .reloading(monotonicMicroseconds: Int64(Clock.system.monotonic() * 1_000_000)))
            console.reload()
            systemd?.inform(log, .ready)
        }
        let signals = await Signals(log: log, reload: reload, dump: {})
        systemd?.inform(log, .ready)
        await signals.stop.wait()
        systemd?.inform(log, .stopping)
        await console.stop()
    }
}

extension SystemdNotify {
    /// What systemd does not hear keeps nobody from working: the log has it.
    fileprivate func inform(_ log: Logger, _ state: State) {
        do throws(SystemdNotifyError) {
            try send(state)
        } catch {
            log.warning("\(error)")
        }
    }
}
