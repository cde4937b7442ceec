import Configuration
import CommandLineTool
import ArgumentParser
import Daemon
import Logging
import Postgres
import Store

/// `fanfare doctor`
struct Doctor: ReportingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what keeps messages from being sent, or soon will; says how to mend each.",
        discussion: """
            Checks the libraries, the settings, the database with its schema, rights, clock, time zones and old snapshots, the \
            workers, and for every hub of the settings its name, its certificate and both its keys or accounts. Changes nothing and \
            sends nothing that a phone could show: a key is tried by reading an installation that does not exist, an account by \
            letting FCM check a message for a token that nobody has, a key or certificate for APNs with a push to a device token \
            that no phone has. A key that may only send cannot be tried, and the answer says so. Any role of Fanfare may ask: it \
            looks at what that role may read, and names the rest.

            It fails when nothing can be sent: results cannot be written, no worker serves a hub that has messages due, or a \
            message has been due for longer than --max-wait while no message of its hub came to an end (a paused hub only warns).
            Of changes of devices it warns: those that wait for longer, and those that were refused in the last day.

            Exits 1 when something fails, 69 when the database is out of reach, 78 when the settings are wrong.

            Example: fanfare doctor --hub news --json
            """)

    @Option(help: ArgumentHelp("Look at this hub of the settings only. Repeatable.", valueName: "name"))
    var hub: [String] = []

    @Flag(help: "Also look for messages and changes of devices that are lost. Reads all there are.") var deep = false

    @Option(
        help: ArgumentHelp(
            "How long a message may be due: 90 (seconds), 15m, 1h. Raise it where only drains work. Default: 5m.",
            valueName: "time"))
    var maxWait: DurationArgument?

    @Flag(help: "Leave the hubs alone: nothing goes over the network but to the database.") var offline = false
    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        let settings = try options.common.settings()
        for name in hub { _ = try settings.hub(name, orCannot: "look at hub \"\(name)\"") }
        var findings = DoctorLibraries.findings(caFile: settings.transport.caFile) + configuration(settings)
        let (seen, status) = await database(settings)
        findings += seen
        if !offline {
            let asked = settings.hubs.filter { hub.isEmpty || hub.contains($0.key) }
            findings += try await DoctorHubs.findings(asked, settings.transportSettings)
        }
        return Report(findings, failing: status)
    }

    private func configuration(_ settings: Settings) -> [Finding] {
        let area = "configuration"
        var findings: [Finding] = [.ok(area, "file", settings.file ?? "none; environment and defaults alone")]
        findings += settings.warnings.map {
            .warn(area, $0.key, "\($0.found): \($0.rule)", remedy: "\($0.remedy).")
        }
        if settings.hubs.isEmpty {
            findings.append(.fail(area, "hubs", "none", remedy: "Add one under hubs in the settings."))
        }
        return findings
    }

    /// - Returns: also the status when one of them fails: a database that is away has its own.
    private func database(_ settings: Settings) async -> ([Finding], ExitStatus) {
        let database = settings.makeDatabase(log: Logger(label: "fanfare.database"))
        var found: ([Finding], ExitStatus)
        do {
            found = (try await DoctorDatabase(database, deep: deep).findings(), .someFailed)
            if !found.0.hasFailed {
                found.0 += try await DoctorWorkers.findings(database, hub, longestWait: maxWait?.seconds ?? 300)
            }
        } catch {
            let failure = Failure(of: error)
            let remedy = failure?.complaints.first?.hint ?? "Check database.url: fanfare config print"
            let finding = Finding.fail(
                "database", "connection", failure?.complaints.first.map { "\($0.what): \($0.why)" } ?? "\(error)",
                remedy: remedy)
            found = ([finding], failure?.status ?? .internalFault)
        }
        await database.close()
        // What is wrong with the address was found above.
        if let wire = try? ConnectionSecurity(url: settings.database.url.reveal()) {
            found.0.append(Self.finding(of: wire))
        }
        return found
    }

    private static func finding(of wire: ConnectionSecurity) -> Finding {
        guard !wire.remoteHosts.isEmpty else { return .ok("database", "TLS", "nothing leaves this machine") }
        let hosts = wire.remoteHosts.joined(separator: ", ")
        guard !wire.isSafe else { return .ok("database", "TLS", "sslmode \(wire.sslmode): \(hosts) is verified") }
        return .warn(
            "database", "TLS", "sslmode is \(wire.sslmode): nothing makes sure that it is \(hosts) who answers",
            remedy: "Set sslmode=verify-full, and sslrootcert to the authority's certificate, in database.url.")
    }
}

extension Report {
    /// - Parameter status: when one of them fails.
    init(_ findings: [Finding], failing status: ExitStatus) {
        self.init(
            findings.text + "\n\n" + findings.summary,
            ["ok": .flag(!findings.hasFailed), "findings": .list(findings.map(\.json))],
            status: findings.hasFailed ? status : .ok)
    }
}
