/// Who may ask `/` and `/_emulator/`, where no key is asked for: pages of this address, and programs.
///
/// A browser lets every site send requests to 127.0.0.1, and a site can have its own name lead there (DNS rebinding) to
/// read the answers too. `Host` then says the site's name, and `Origin` says who sent a form.
struct HostHeaderPolicy: Sendable {
    /// The address the emulator listens on.
    let listening: String

    /// - Returns: why the request is refused; nil: it is not.
    func refusal(of call: EmulatorRequest) -> Response? {
        guard isOwn(host: call.host) else {
            return AdminRoutes.problem(
                421, "the Host \(call.host) is no name of this emulator: use 127.0.0.1, localhost or its address")
        }
        if call.method == .get || call.method == .head { return nil }
        guard let origin = call[.origin] else { return nil }
        if origin.lowercased() == call.origin.lowercased() { return nil }
        return AdminRoutes.problem(403, "a page of \(origin) may not change anything here")
    }

    /// An address in digits leads nowhere else, so no site can have taken it over. A name without a dot, such as a
    /// container's, is one of a private network; it counts where others are let in at all.
    func isOwn(host: String) -> Bool {
        let name = Self.name(of: host.lowercased())
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
