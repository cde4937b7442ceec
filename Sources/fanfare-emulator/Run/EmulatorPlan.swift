import Configuration
import CommandLineTool
import Foundation
import HubEmulator
import Signing

/// Which hubs an emulator serves, where, and with whose keys.
struct EmulatorPlan {
    /// Served when neither settings nor options name a hub.
    static let usualHub = "news"
    static let usualAddress = ListenAddress(host: "127.0.0.1", port: 8099)

    /// The address in `EMULATOR_AT`, for `run` and for the commands that ask. nil: it is not set, or empty.
    ///
    /// - Throws: `Failure` when it is no address.
    static func addressInEnvironment() throws(Failure) -> ListenAddress? {
        guard let text = ProcessInfo.processInfo.environment["EMULATOR_AT"], !text.isEmpty else { return nil }
        guard let address = ListenAddress(text) else {
            throw Failure(
                "wrong EMULATOR_AT", because: "\(text.onOneLine.clipped(to: 80)) is not HOST:PORT",
                hint: "For example EMULATOR_AT=127.0.0.1:8099", status: .usage)
        }
        return address
    }

    private(set) var hubs: [EmulatorSettings.Hub]
    private(set) var senders: [PlannedSender] = []
    private(set) var apnsSenders: [PlannedAPNsSender] = []
    private(set) var address: ListenAddress
    /// Where the settings look for APNs. nil: they have no hub of that kind here.
    private(set) var securePort: Int?
    /// What a person should know who expected something else.
    private(set) var notes: [String] = []

    init(
        hubs: [EmulatorSettings.Hub], senders: [PlannedSender] = [], apnsSenders: [PlannedAPNsSender] = [],
        address: ListenAddress
    ) {
        self.hubs = hubs
        self.senders = senders
        self.apnsSenders = apnsSenders
        self.address = address
    }

    /// The hubs of the settings that are on this machine.
    ///
    /// - Parameters:
    ///   - listen: nil: where the settings look for them, preferably the usual address. An address none of them is looked for at
    ///     serves them all.
    ///   - tlsPort: the same for hubs of kind `apns`.
    /// - Throws: `Failure` when the settings name no hub on this machine; `SettingsError`.
    init(_ options: CommandOptions, listen: ListenAddress?, tlsPort: Int? = nil) throws {
        if options.config == nil, options.overrides.isEmpty,
            !Settings.usualFiles.contains(where: FileManager.default.fileExists)
        {
            self.init(hubs: [EmulatorSettings.Hub(Self.usualHub)], address: listen ?? Self.usualAddress)
            return
        }
        let settings = try options.loadSettings(.database)
        self = try EmulatorPlan(settings.hubs, listen: listen, tlsPort: tlsPort)
        guard hubs.isEmpty, senders.isEmpty, apnsSenders.isEmpty else { return }
        _ = try options.loadSettings(.everything)  // reports hubs that are left out because their settings are wrong
        throw Failure(
            "cannot emulate",
            because:
                "no hub of \(settings.file ?? "the settings") is on this machine (http://127.0.0.1:…, of kind apns "
                + "https://127.0.0.1:…)",
            hint: "Name one: fanfare-emulator --hub NAME", status: .configuration)
    }

    /// - Throws: `Failure` when two hubs of the settings are the same one, with more keys than a hub has.
    init(_ configured: [String: HubConfiguration], listen: ListenAddress?, tlsPort: Int? = nil) throws(Failure) {
        let all = configured.sorted { $0.key < $1.key }.compactMap { LocalHub(name: $0.key, $0.value) }
        let local = all.filter { !$0.isOverTLS }
        let wanted = listen ?? Self.usualAddress
        var chosen = local.filter { $0.address.isSame(as: wanted) }
        address = wanted
        hubs = []
        if chosen.isEmpty, let first = local.first {
            if let listen {
                chosen = local
                notes.append("The settings look for it at \(first.address), not at \(listen): change them.")
            } else {
                chosen = local.filter { $0.address.isSame(as: first.address) }
                address = first.address
            }
        }
        for hub in local where !chosen.contains(where: { $0.name == hub.name }) {
            notes.append("Hub \(hub.name) is not served here: the settings look for it at \(hub.address).")
        }
        for hub in chosen { try add(hub) }
        try addSecure(all.filter(\.isOverTLS), tlsPort: tlsPort)
    }

    /// There is one port for TLS: the one asked for, or that of the first hub.
    private mutating func addSecure(_ local: [LocalHub], tlsPort: Int?) throws(Failure) {
        guard let first = local.first else { return }
        let port = tlsPort ?? first.address.port
        var chosen = local.filter { $0.address.port == port }
        if chosen.isEmpty {
            chosen = local
            notes.append("The settings look for APNs at \(first.address), not at port \(port): change them.")
        }
        for hub in local where !chosen.contains(where: { $0.name == hub.name }) {
            notes.append("Hub \(hub.name) is not served here: the settings look for it at \(hub.address).")
        }
        for hub in chosen { try add(hub) }
        securePort = port
        if tlsPort == nil {
            notes.append(
                "Workers have to trust its authority: --tls-port \(port) --ca-file FILE writes it for transport.caFile."
            )
        }
    }

    /// As given, without the hubs.
    var senderNames: [String] { senders.map(\.sender.name) + apnsSenders.map(\.sender.name) }

    /// What the senders are, by their names in lower case.
    var services: [String: EmulatedService] {
        let all = senders.map { ($0.sender.name, EmulatedService.fcm) } + apnsSenders.map { ($0.sender.name, .apns) }
        return Dictionary(all.map { ($0.0.lowercased(), $0.1) }) { first, _ in first }
    }

    /// One more policy for every hub; one of the same name is replaced.
    mutating func add(_ policy: SASPolicy) {
        for index in hubs.indices {
            hubs[index].policies.removeAll { $0.name == policy.name }
            hubs[index].policies.append(policy)
        }
    }

    private mutating func add(_ local: LocalHub) throws(Failure) {
        switch local.service {
        case .hub(let name, let keys): try add(name, keys)
        case .sender(let sender): senders.append(PlannedSender(sender: sender, file: nil))
        case .apns(let sender): apnsSenders.append(PlannedAPNsSender(sender: sender, file: nil))
        }
    }

    private mutating func add(_ hub: String, _ keys: [(name: String, key: Secret)]) throws(Failure) {
        let index = hubs.firstIndex { $0.name.lowercased() == hub.lowercased() } ?? hubs.endIndex
        if index == hubs.endIndex { hubs.append(EmulatorSettings.Hub(hub, policies: [])) }
        for (name, key) in keys {
            guard let known = hubs[index].policies.firstIndex(where: { $0.name == name }) else {
                hubs[index].policies.append(SASPolicy(name: name, key: key))
                continue
            }
            let policy = hubs[index].policies[known]
            if policy.key == key || policy.secondaryKey == key { continue }
            guard policy.secondaryKey == nil else {
                throw Failure(
                    "cannot emulate",
                    because: "the settings know more than two keys of the policy \(name) of \(hub)",
                    status: .configuration)
            }
            hubs[index].policies[known].secondaryKey = key
        }
    }
}

extension ListenAddress {
    fileprivate func isSame(as other: ListenAddress) -> Bool {
        func plain(_ host: String) -> String { host == "localhost" ? "127.0.0.1" : host.lowercased() }
        return port == other.port && plain(host) == plain(other.host)
    }
}
