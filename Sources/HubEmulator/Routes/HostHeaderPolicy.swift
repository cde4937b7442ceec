/// Protects `/` and `/_emulator/`, which need no key, from web pages of other sites.
///
/// Any site can make a browser send requests to 127.0.0.1, and can point its own name there (DNS rebinding) to read the
/// responses too. `Host` then has the site's name, and `Origin` names the sender of a form.
struct HostHeaderPolicy: Sendable {
    /// The address the emulator listens on.
    let listening: String

    /// - Returns: the refusal. nil: the request is allowed.
    func refusal(of request: EmulatorRequest) -> Response? {
        guard isOwn(host: request.host) else {
            return AdminRoutes.problem(
                421, "the Host \(request.host) is not a name of this emulator: use 127.0.0.1, localhost or its address")
        }
        if request.method == .get || request.method == .head { return nil }
        guard let origin = request[.origin] else { return nil }
        if origin.lowercased() == request.origin.lowercased() { return nil }
        return AdminRoutes.problem(403, "a page of \(origin) may not change anything here")
    }

    /// A numeric address is safe: DNS rebinding needs a name. A name without a dot, such as that of a container, belongs
    /// to a private network; it is accepted only when the emulator listens beyond loopback.
    func isOwn(host: String) -> Bool {
        // No browser sends letters beyond ASCII. `127.0.0.1:80@evil.example` leads to evil.example.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let name = Self.name(of: host.lowercased())
        let port = host.dropFirst(name.count)
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isNumber) else { return false }
        if name.isEmpty { return false }
        if name == "localhost" || name.hasSuffix(".localhost") || name == listening.lowercased() { return true }
        if name.hasPrefix("[") { return name.hasSuffix("]") && name.dropFirst().dropLast().allSatisfy(Self.isIPv6) }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(listening.lowercased())
        return !isLoopback && parts.count == 1
    }

    private static func isIPv6(_ character: Character) -> Bool {
        character.isHexDigit || character == ":" || character == "."
    }

    /// Without the port.
    private static func name(of host: String) -> String {
        if host.hasPrefix("[") { return String(host.prefix { $0 != "]" }) + (host.contains("]") ? "]" : "") }
        return String(host.prefix { $0 != ":" })
    }
}
