/// A send as a command for a shell, to repeat it by hand. It holds no secret: its token is the variable `TOKEN`.
struct CurlCommand: Sendable {
    let text: String

    /// curl writes these itself.
    private static let own: Set<String> = [
        "host", "content-length", "connection", "transfer-encoding", "expect", "accept-encoding", "user-agent",
    ]

    /// - Parameter body: nil: it is no longer kept; the command then has a placeholder.
    init(_ request: SentRequest, body: String?) {
        var parts = ["curl -sS -X \(request.method) \(Self.quoted(request.origin + request.target))"]
        var needs: [String] = []
        for header in request.headers where !Self.own.contains(header.name.lowercased()) {
            guard header.value == SentRequest.mask else {
                parts.append("-H \(Self.quoted("\(header.name): \(header.value)"))")
                continue
            }
            let variable = header.name.lowercased() == "authorization" ? "TOKEN" : header.name.uppercased()
            needs.append(variable)
            parts.append("-H \"\(header.name): $\(variable.filter { $0.isLetter })\"")
        }
        if let body {
            if !body.isEmpty { parts.append("--data-binary \(Self.quoted(body))") }
        } else {
            needs.append("BODY")
            parts.append("--data-binary \"$BODY\"")
        }
        let variables = needs.map { $0.filter(\.isLetter) }.joined(separator: ", ")
        let comment = needs.isEmpty ? "" : "# Set first: \(variables)\n"
        text = comment + parts.joined(separator: " \\\n  ")
    }

    /// In single quotes, in which a shell reads nothing but the closing one.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
