import PushModel
import Signing

extension SettingsLoader {
    /// Either a key or a certificate, which can be used, and nothing that belongs to the other.
    mutating func checkAPNs(_ hub: HubConfiguration, badFileKeys: Set<String>) {
        let start = "hubs.\(hub.settings.name)."
        if let endpoint = hub.settings.endpoint, endpoint.hasPrefix("http://") {
            report(
                start + "endpoint", "is \(endpoint)", "APNs is spoken to over TLS, also on this machine",
                "Write the https:// address of the emulator (its --tls-port), and trust its authority with transport.caFile"
            )
        }
        if hub.apns.certificate == nil {
            checkKeys(of: hub, badFileKeys)
        } else if hub.apns.key != nil {
            report(
                start + "certificate", "is set beside key", "a hub proves itself with one of them", "Leave one out")
        } else {
            checkCertificate(of: hub, badFileKeys)
        }
    }

    // MARK: - A key

    private mutating func checkKeys(of hub: HubConfiguration, _ badFileKeys: Set<String>) {
        let start = "hubs.\(hub.settings.name)."
        for name in ["certificateKey", "certificatePassword"] where origins[start + name] != nil {
            report(start + name, "is set without certificate", "it belongs to one", "Set certificate, or leave it out")
        }
        require(
            "topic", of: hub, "it is the app's bundle id, and a key may send for every app of its team", badFileKeys)
        require("teamId", of: hub, "it stands in the Apple developer account, Membership", badFileKeys)
        checkKey(hub, "key", "keyId", badFileKeys) { apns throws(ProviderKeyError) in try apns.primary() }
        guard hub.apns.secondaryKey != nil else {
            if origins[start + "secondaryKeyId"] != nil {
                warn(
                    start + "secondaryKeyId", "is set without secondaryKey", "has no effect without it",
                    "Set secondaryKey, or leave it out")
            }
            return
        }
        checkKey(hub, "secondaryKey", "secondaryKeyId", badFileKeys) { apns throws(ProviderKeyError) in
            try apns.secondary()
        }
        let apns = hub.apns
        if apns.secondaryKey == apns.key || apns.keyID != nil && apns.secondaryKeyID == apns.keyID {
            warn(
                start + "secondaryKey", "is the key of key", "a key cannot take over from itself",
                "Make a second key in the Apple developer account, or leave it out")
        }
    }

    /// What is wrong with an id stands at its own key.
    private mutating func checkKey(
        _ hub: HubConfiguration, _ name: String, _ idName: String, _ badFileKeys: Set<String>,
        read: (APNsSecrets) throws(ProviderKeyError) -> ProviderKey?
    ) {
        require(idName, of: hub, "it stands in the name of the key's file, AuthKey_….p8", badFileKeys)
        var apns = hub.apns
        apns.team = apns.team ?? Self.anyID
        apns.keyID = apns.keyID ?? Self.anyID
        apns.secondaryKeyID = apns.secondaryKeyID ?? Self.anyID
        do throws(ProviderKeyError) {
            _ = try read(apns)
        } catch {
            let why: any CustomStringConvertible = if case .key(let error) = error { error } else { error }
            report("hubs.\(hub.settings.name).\(name)", "cannot be used", "it \(why)", Self.newKey)
        }
    }

    /// To read a key whose id is not given, which is reported at its own place.
    private static let anyID = String(repeating: "A", count: ProviderKey.idLength)

    private static let newKey =
        "Put the unchanged text of the .p8 file here; the Apple developer account makes one under Certificates, Identifiers & "
        + "Profiles, Keys"

    private mutating func require(
        _ name: String, of hub: HubConfiguration, _ rule: String, _ badFileKeys: Set<String>
    ) {
        let components = ["hubs", hub.settings.name, name]
        let key = components.joined(separator: ".")
        guard isNotGiven(key, badFileKeys: badFileKeys) else { return }
        report(
            key, Self.notSet, rule, "Set it in the file, or \(SettingsSources.environmentName(of: components))")
    }

    // MARK: - A certificate

    private mutating func checkCertificate(of hub: HubConfiguration, _ badFileKeys: Set<String>) {
        let start = "hubs.\(hub.settings.name)."
        for name in ["teamId", "keyId", "secondaryKey", "secondaryKeyId"] where origins[start + name] != nil {
            report(
                start + name, "is set beside certificate", "it belongs to key",
                "Leave it out, or set key in place of certificate")
        }
        if hub.apns.certificateKey == nil, isNotGiven(start + "certificateKey", badFileKeys: badFileKeys) {
            require("certificateKey", of: hub, "it is the private key of certificate, in PEM form", badFileKeys)
            return
        }
        let certificate: ClientCertificate
        do throws(ClientCertificateError) {
            guard let read = try hub.apns.clientCertificate() else { return }
            certificate = read
        } catch {
            report(
                start + error.setting, "cannot be used", "\(error)",
                "Write both from the .p12 file: openssl pkcs12 -in push.p12 -nodes")
            return
        }
        guard let topic = certificate.userID, BundleID.isBundleID(topic) else { return }
        if let chosen = hub.settings.topic {
            guard chosen != topic, !chosen.hasPrefix(topic + ".") else { return }
            warn(
                start + "topic", "is \(chosen), and certificate is for \(topic)",
                "APNs refuses a topic that the certificate does not name",
                "Leave it out to send for \(topic), or take the certificate of \(chosen)")
        } else if isNotGiven(start + "topic", badFileKeys: badFileKeys) {
            settings.hubs[hub.settings.name]?.settings.topic = topic
            origins[start + "topic"] = origins[start + "certificate"]
        }
    }
}

extension ClientCertificateError {
    /// The key of a hub that holds what is wrong.
    fileprivate var setting: String {
        switch self {
        case .notPEM, .cutOff, .unreadable: "certificate"
        case .keyNotPEM, .keyUnreadable, .keyOfAnother: "certificateKey"
        case .passwordMissing, .password: "certificatePassword"
        }
    }
}
