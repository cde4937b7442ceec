import PushModel

/// A send as a command for a shell, to repeat it by hand. It holds no secret: its token is the variable `TOKEN`.
struct CurlCommand: Sendable {
    let text: String

    /// curl writes these itself.
    private static let own: Set<String> = [
        "host", "content-length", "connection", "transfer-encoding", "expect", "accept-encoding", "user-agent",
    ]

    /// - Parameters:
    ///   - body: nil: it is no longer kept; the command then has a placeholder.
    ///   - origin: where the emulator is for the person who reads it, as `http://127.0.0.1:8099`. The `Host` of the send may
    ///     name any server.
    init(_ request: SentRequest, body: String?, at origin: String) {
        // APNs is on the port for TLS, and speaks HTTP/2.
        let isOfAPNs = request.target.hasPrefix("/3/")
        let address = (isOfAPNs && request.origin.hasPrefix("https:") ? request.origin : origin) + request.target
        // curl would make many requests of `[1-9]` and `{a,b}`.
        let globs = address.utf8.contains { "[]{}".utf8.contains($0) } ? "--globoff " : ""
        var parts = ["curl -sS \(isOfAPNs ? "--http2 " : "")\(globs)-X \(request.method) \(ShellText.quoted(address))"]
        var needs: [String] = []
        for header in request.headers where !Self.own.contains(header.name.lowercased()) {
            guard header.value == SentRequest.mask else {
                parts.append("-H \(ShellText.quoted("\(header.name): \(header.value)"))")
                continue
            }
            let variable = header.name.lowercased() == "authorization" ? "TOKEN" : header.name.uppercased()
            needs.append(variable)
            parts.append("-H \"\(header.name): $\(variable.filter { $0.isLetter })\"")
        }
        if let body {
            // Not --data-binary, which reads a file for a body that begins with @.
            if !body.isEmpty { parts.append("--data-raw \(ShellText.quoted(body))") }
        } else {
            needs.append("BODY")
            parts.append("--data-raw \"$BODY\"")
        }
        let variables = needs.map { $0.filter(\.isLetter) }.joined(separator: ", ")
        let comment = needs.isEmpty ? "" : "# Set first: \(variables)\n"
        text = comment + parts.joined(separator: " \\\n  ")
    }
}
