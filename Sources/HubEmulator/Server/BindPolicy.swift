/// Where an emulator listens: plain HTTP on loopback only, unless the settings allow more. Pure.
struct BindPolicy: Equatable {
    /// For plain HTTP.
    let plainHost: String
    /// For TLS. nil: TLS is off.
    let secureHost: String?

    /// When TLS is on and the host is not loopback, TLS uses the host and plain HTTP stays on 127.0.0.1.
    ///
    /// - Throws: `EmulatorError` when others could reach plain HTTP.
    init(_ settings: EmulatorSettings) throws(EmulatorError) {
        let isOpen = !Self.isLoopback(settings.host)
        if isOpen, settings.tls == nil, !settings.allowsPlainBeyondLoopback {
            throw EmulatorError(
                "\(settings.host) is not a loopback address: tokens and messages would cross the network unencrypted, "
                    + "and others could read what was sent. Turn TLS on, or allow plain HTTP beyond loopback")
        }
        plainHost = isOpen && !settings.allowsPlainBeyondLoopback ? "127.0.0.1" : settings.host
        secureHost = settings.tls == nil ? nil : settings.host
    }

    /// `localhost`, `127.x.y.z`, `::1`.
    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// The host in a URL: a wildcard address becomes loopback, IPv6 gets brackets.
    static func urlHost(_ host: String) -> String {
        switch host {
        case "0.0.0.0", "": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}
