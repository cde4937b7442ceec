import Configuration
import CommandLineTool
import EmulatorTLS
import Glibc
import HubEmulator
import Logging

extension EmulatorPlan {
    /// - Throws: `Failure` for a name that cannot be a hub's, or two of one name.
    func emulator(_ settings: EmulatorSettings) throws(Failure) -> HubEmulator {
        var settings = settings
        settings.senders = senders.map(\.sender)
        settings.apnsSenders = apnsSenders.map(\.sender)
        settings.host = address.host
        settings.port = address.port
        settings.keptEntries = 100_000
        settings.keptBodies = .last(10_000)
        // Reached within minutes by a load of 500 sends a second, so that its memory does not grow for an hour.
        settings.keptPushes = 200_000
        settings.keptHandles = 20_000
        var log = Logger(label: "fanfare.emulator")
        log.logLevel = .critical  // its warnings are printed as they are; the rest is for those who embed it
        do throws(EmulatorError) {
            return try HubEmulator(settings, logger: log, tls: SelfIssuedTLS())
        } catch {
            throw Failure("cannot emulate", because: "\(error)", status: .usage)
        }
    }

    /// Listens, and writes the service accounts and keys of its senders.
    ///
    /// - Throws: `Failure` when that is not possible, mostly because the port is taken.
    func start(_ emulator: HubEmulator) async throws(Failure) {
        do throws(EmulatorError) {
            _ = try await emulator.start()
            for sender in apnsSenders {
                guard let file = sender.file else { continue }
                try file.write()
                guard let client = emulator.apnsCertificate(of: sender.sender.name) else { continue }
                try file.write(certificate: client)
            }
            for sender in senders { try sender.file?.write(tokenURI: (emulator.endpoint ?? "") + "/token") }
        } catch {
            let isTaken = "\(error)".contains("errno: \(EADDRINUSE))")
            throw Failure(
                "cannot emulate", because: isTaken ? "another program listens on \(address)" : "\(error)",
                hint: isTaken
                    ? "Take another port: --listen \(address.host):0"
                    : "See --listen, --tls-port and --allow-plain-http: fanfare-emulator run --help",
                status: .unavailable)
        }
    }

    /// Where it listens and how a sender is configured. Only the key everybody knows is shown.
    func welcome(_ emulator: HubEmulator) -> String {
        let here = ListenAddress(host: emulator.host ?? address.host, port: emulator.port ?? address.port)
        var lines = ["The emulator listens on http://\(here) until Ctrl-C. Configure a sender with:", ""]
        if hubs.isEmpty { lines.removeLast() }
        for hub in hubs {
            for policy in hub.policies {
                let key = policy.key == Self.wellKnownKey ? policy.key.reveal() : "\(policy.key)"
                let name = "  \(hub.name)".padded(to: 24)
                lines.append(
                    "\(name) Endpoint=http://\(here)/;SharedAccessKeyName=\(policy.name);SharedAccessKey=\(key)")
            }
        }
        if let secure = emulator.securePort {
            lines += ["", "Over TLS the same, with Endpoint=sb://\(ListenAddress(host: address.host, port: secure))/"]
        }
        for sender in senders { lines += settings(for: sender, emulator) }
        for sender in apnsSenders { lines += settings(for: sender, emulator) }
        lines += [
            "", "Its phones: http://\(here)/ (and curl http://\(here)/_emulator/journal, devices, warnings, metrics)",
        ]
        if !["127.0.0.1", "localhost", "::1"].contains(address.host) {
            lines.append("Others can reach it too, and read there what was sent: no key is asked for.")
        }
        return (lines + notes).joined(separator: "\n") + "\n"
    }

    /// The settings of a worker for a sender, and where its service account is.
    private func settings(for planned: PlannedSender, _ emulator: HubEmulator) -> [String] {
        let name = planned.sender.name
        let endpoint = emulator.endpoint ?? "http://\(address)"
        guard let file = planned.file else {
            return ["", "  \(name)".padded(to: 24) + " FCM, project \(planned.sender.project), as in the settings"]
        }
        let key =
            "\"\(name)\": {\"kind\": \"fcm\", \"project\": \"\(planned.sender.project)\", \"endpoint\": \"\(endpoint)\", "
            + "\"tags\": \"topics\"}"
        return [
            "", "  \(name)".padded(to: 24) + " FCM, with the service account \(file.path)",
            "    \(key)", "    export FANFARE_HUBS_\(Self.variable(name))_SERVICE_ACCOUNT=\"$(cat '\(file.path)')\"",
        ]
    }

    /// The settings of a worker for a sender of APNs, and where its key and its certificate are.
    private func settings(for planned: PlannedAPNsSender, _ emulator: HubEmulator) -> [String] {
        let sender = planned.sender
        let name = "  \(sender.name)".padded(to: 24)
        guard let key = planned.file else {
            return ["", name + " APNs, topic \(sender.topic), \(sender.environment.rawValue), as in the settings"]
        }
        let variable = "FANFARE_HUBS_\(Self.variable(sender.name))"
        func hub(_ ids: [(String, String)]) -> String {
            let members =
                [("kind", "apns"), ("topic", sender.topic)] + ids + [
                    ("environment", sender.environment.rawValue), ("endpoint", emulator.secureEndpoint ?? ""),
                ]
            return "    \"\(sender.name)\": {" + members.map { "\"\($0.0)\": \"\($0.1)\"" }.joined(separator: ", ")
                + "}"
        }
        let lines = [
            "", name + " APNs, with the key \(key.path)",
            hub([("teamId", sender.teamID), ("keyId", sender.keys[0].id)]),
            "    export \(variable)_KEY=\"$(cat '\(key.path)')\"",
        ]
        guard sender.hasCertificate else { return lines }
        let file = key.certificatePath
        return lines + [
            "    Or with the certificate \(file)", hub([]),
            "    export \(variable)_CERTIFICATE=\"$(openssl x509 -in '\(file)')\"",
            "    export \(variable)_CERTIFICATE_KEY=\"$(openssl pkey -in '\(file)')\"",
        ]
    }

    private static func variable(_ name: String) -> String {
        String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// Protects nothing; it lets a configuration work without a secret in it.
    static let wellKnownKey = EmulatorSettings.Hub("any").policies.first?.key
}
