import ArgumentParser
import CommandLineTool
import Configuration
import HubEmulator
import Logging
import UnixSignals

/// `fanfare-emulator`, or `fanfare-emulator run`
struct RunEmulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a notification hub on this machine.",
        discussion: """
            Checks what a real hub checks, keeps what it was sent, and knows what every device would have shown. \
            Serves the hubs of the settings file that live on this machine (http://127.0.0.1:…), with their keys; \
            or those named with --hub, with the policy emulator and its well-known key; or, without either, the hub \
            news. Its page with the phones is at http://127.0.0.1:8099/. With --fcm it serves Firebase Cloud Messaging, \
            too: access tokens, sends to tokens and topics, subscriptions. With --apns it serves the Apple Push Notification \
            service, on the port for TLS.

            Example: fanfare-emulator --hub breaking-news

            Example: fanfare-emulator --fcm shop --strings strings.json

            Example: fanfare-emulator --apns ios --tls-port 8443 --ca-file ca.pem
            """)

    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0: any free one. Default: the variable EMULATOR_AT, or where the settings look for "
                + "it, else 127.0.0.1:8099.",
            valueName: "host:port"))
    var listen: ListenAddress?

    @Option(name: .customLong("hub"), help: ArgumentHelp("Serve this hub. Repeatable.", valueName: "name"))
    var names: [String] = []

    @Option(
        name: .customLong("fcm"),
        help: ArgumentHelp(
            "Serve this sender of FCM, with a service account that is made once and kept in the file. Default file: in a "
                + "folder of this user for temporary files. Repeatable.", valueName: "name[=file]"))
    var senders: [SenderOption] = []

    @Option(
        name: .customLong("apns"),
        help: ArgumentHelp(
            "Serve this sender of APNs on the port for TLS, with a key that is made once and kept in the file. Its phones are "
                + "those of production; with :sandbox those of the sandbox. Default file: as for --fcm. Repeatable.",
            valueName: "name[:sandbox][=file]"))
    var apnsSenders: [APNsOption] = []

    @Flag(
        help: ArgumentHelp(
            "Make a client certificate for each sender of APNs, too, new at every start. It stands with its key beside the file "
                + "of the key, as NAME.pem."))
    var apnsCertificates = false

    @Option(
        help: ArgumentHelp(
            "The texts that phones show for loc keys: JSON by language and key, such as "
                + "{\"fr\": {\"welcome_title\": \"Bienvenue, %1$s !\"}}.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var strings: String?

    @Option(
        help: ArgumentHelp(
            "The categories of notifications that the app has on Apple phones, with their buttons: JSON such as "
                + "{\"INVITE_CATEGORY\": [{\"id\": \"accept\", \"title\": \"Accept\", \"options\": [\"foreground\"]}]}.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var categories: String?

    @Option(help: "Only the standard tier returns the notification id.") var tier = EmulatorSettings.Tier.standard

    @Option(
        help: ArgumentHelp(
            "Devices to begin with: a JSON array of installations, each with a member hub if there are several hubs.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var devices: String?

    @Option(
        help: ArgumentHelp(
            "Keep installations and registrations in this file from one run to the next. Default: in memory only.",
            valueName: "file"),
        completion: .file())
    var state: String?

    @Option(help: ArgumentHelp("Devices every hub has from the start, for large audiences.", valueName: "number"))
    var seedDevices = 0

    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp(
            "One more policy of every hub: its rights are send, listen, manage, joined by +. Without a key it has the "
                + "well-known one. Repeatable.", valueName: "name:rights[:key]"))
    var policies: [PolicyOption] = []

    @Flag(help: "Do not print a line for every send.") var quiet = false
    @OptionGroup var door: EmulatorEndpointOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if seedDevices < 0 { throw ValidationError("--seed-devices is 0 or more.") }
        if apnsCertificates, apnsSenders.isEmpty { throw ValidationError("--apns-certificates needs --apns.") }
        if !apnsSenders.isEmpty, door.tlsPort == nil { throw ValidationError("--apns needs --tls-port.") }
        if isNamed, options.config != nil || !options.overrides.isEmpty {
            throw ValidationError("--hub, --fcm and --apns need no settings: leave out --config and --set, or them.")
        }
    }

    private var isNamed: Bool { !names.isEmpty || !senders.isEmpty || !apnsSenders.isEmpty }

    func run() async throws {
        let listen = try listen ?? EmulatorPlan.addressInEnvironment()
        var plan =
            !isNamed
            ? try EmulatorPlan(options, listen: listen, tlsPort: door.tlsPort)
            : EmulatorPlan(
                hubs: names.map { EmulatorSettings.Hub($0) },
                senders: try senders.map { option throws(Failure) in try option.sender() },
                apnsSenders: try apnsSenders.map { option throws(Failure) in
                    try option.sender(hasCertificate: apnsCertificates)
                },
                address: listen ?? EmulatorPlan.usualAddress)
        for policy in policies { plan.add(policy.policy) }
        let emulator = try plan.emulator(try settings(for: plan))
        if let devices {
            try DeviceFile(
                file: devices, hubs: plan.hubs.map(\.name) + plan.senderNames, services: plan.services
            ).register(at: emulator)
        }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await plan.start(emulator)
        let reader = JournalPrinter(emulator, sends: !quiet)
        do {
            try StandardStreams.print(plan.welcome(emulator))
            try await withThrowingTaskGroup { group in
                group.addTask { for await _ in signals { return } }
                group.addTask { try await reader.printEverything() }
                defer { group.cancelAll() }
                try await group.next()
            }
            await emulator.stop()
            try await reader.printNews()
        } catch {
            await emulator.stop()
            throw error
        }
    }
}

extension RunEmulator {
    private func settings(for plan: EmulatorPlan) throws -> EmulatorSettings {
        var settings = EmulatorSettings(hubs: plan.hubs)
        settings.tier = tier
        settings.stateFile = state
        settings.seedDevices = seedDevices
        if let strings {
            let json = try InputFile.bytes(of: strings)
            do throws(EmulatorError) {
                settings.strings = try StringsFile(json: json, file: InputFile.name(strings))
            } catch {
                throw Failure("cannot read the texts", because: "\(error)", status: .badInput)
            }
        }
        if let categories {
            let json = try InputFile.bytes(of: categories)
            do throws(EmulatorError) {
                settings.categories = try CategoriesFile(json: json, file: InputFile.name(categories))
            } catch {
                throw Failure("cannot read the categories", because: "\(error)", status: .badInput)
            }
        }
        try door.apply(to: &settings)
        if settings.tls == nil { settings.tls = plan.securePort.map { .init(port: $0) } }
        return settings
    }
}

extension ListenAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
extension EmulatorSettings.Tier: ExpressibleByArgument {}
