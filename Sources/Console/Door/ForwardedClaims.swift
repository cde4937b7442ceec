import HTTPTypes
import PushModel

/// What proxies wrote into a request about its way. Whether they are to be believed is for `ForwardedPolicy`.
struct ForwardedClaims: Sendable, Equatable {
    /// The browser's address first, as far as it is one; then those of the proxies behind it. nil: one that hides its
    /// address.
    var clients: [IPAddress?] = []
    /// Hosts that were asked for; the browser's first.
    var hosts: [String] = []
    /// `http` or `https`, as the browser asked.
    var scheme: String?

    init(clients: [IPAddress?] = [], hosts: [String] = [], scheme: String? = nil) {
        self.clients = clients
        self.hosts = hosts
        self.scheme = scheme
    }

    /// Reads `Forwarded` (RFC 7239).
    ///
    /// - Returns: nil: the request has none.
    /// - Throws: `DoorRefusal` with 403 when it cannot be read.
    init?(standard fields: HTTPFields) throws(DoorRefusal) {
        let values = fields[values: .forwarded]
        guard !values.isEmpty else { return nil }
        self.init()
        for element in Self.split(values.joined(separator: ","), at: ",") {
            for pair in Self.split(element, at: ";") where !Self.trimmed(pair).isEmpty {
                let sides = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, let value = Self.unquoted(Self.trimmed(sides[1])) else {
                    throw Self.unreadable(HTTPField.Name.forwarded)
                }
                switch Self.trimmed(sides[0]).lowercased() {
                case "for": clients.append(Self.address(value))
                case "host": hosts.append(value)
                case "proto": if scheme == nil { scheme = try Self.scheme(value, .forwarded) }
                default: break
                }
            }
        }
    }

    /// Reads `X-Forwarded-For`, `-Host` and `-Proto`, which most proxies write.
    ///
    /// - Returns: nil: the request has none of them.
    /// - Throws: `DoorRefusal` with 403 when one cannot be read.
    init?(usual fields: HTTPFields) throws(DoorRefusal) {
        func list(_ name: HTTPField.Name) -> [String] {
            fields[values: name].flatMap { $0.split(scalar: ",") }.map { String(Self.trimmed($0)) }
                .filter { !$0.isEmpty }
        }
        let scheme = try list(.xForwardedProto).first.map { text throws(DoorRefusal) in
            try Self.scheme(text, .xForwardedProto)
        }
        self.init(
            clients: list(.xForwardedFor).map { Self.address($0) }, hosts: list(.xForwardedHost), scheme: scheme)
        if clients.isEmpty, hosts.isEmpty, scheme == nil { return nil }
    }

    private static func scheme(_ text: String, _ name: HTTPField.Name) throws(DoorRefusal) -> String {
        let scheme = text.lowercased()
        guard scheme == "http" || scheme == "https" else { throw unreadable(name) }
        return scheme
    }

    private static func unreadable(_ name: HTTPField.Name) -> DoorRefusal {
        DoorRefusal(status: 403, words: "\(name.rawName), which the proxy wrote, cannot be read.")
    }

    /// Of a node (RFC 7239 section 6), with or without its port: `192.0.2.1:80`, `[2001:db8::1]:80`. Some proxies write
    /// IPv6 without brackets.
    ///
    /// - Returns: nil: `unknown`, an invented name, or nothing that one could read.
    private static func address(_ node: String) -> IPAddress? {
        if node.hasPrefix("[") { return IPAddress(node.dropFirst().prefix { $0 != "]" }) }
        let parts = node.split(scalar: ":", omittingEmptySubsequences: false)
        return IPAddress(parts.count == 2 ? parts[0] : node[...])
    }

    /// Splits where the mark is not inside quotation marks.
    private static func split(_ text: some StringProtocol, at mark: Unicode.Scalar) -> [Substring] {
        var parts: [Substring] = []
        var part = Substring.UnicodeScalarView()
        var isQuoted = false, isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == mark, !isQuoted {
                parts.append(Substring(part))
                part = Substring.UnicodeScalarView()
                continue
            }
            part.append(scalar)
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && isQuoted && !isEscaped
        }
        return parts + [Substring(part)]
    }

    /// The text of a quoted string (RFC 9110 section 5.6.4), or the token itself.
    ///
    /// - Returns: nil: its quotation marks do not match.
    private static func unquoted(_ text: Substring) -> String? {
        guard text.unicodeScalars.first == "\"" else { return text.contains("\"") ? nil : String(text) }
        var plain = String.UnicodeScalarView()
        var isEscaped = false
        for (index, scalar) in text.unicodeScalars.dropFirst().enumerated() {
            if isEscaped || scalar != "\\" && scalar != "\"" {
                plain.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                return index == text.unicodeScalars.count - 2 ? String(plain) : nil
            }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        var scalars = text.unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return Substring(scalars)
    }
}
