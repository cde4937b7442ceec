import HTTPTransport
import PushModel

extension Answer {
    /// What it means that no status came; nil: one did. The same for every provider, because it is about the transport.
    init?(withoutStatus reply: Reply) {
        self.init(verdict: .accepted, milliseconds: reply.milliseconds)
        switch reply.outcome {
        case .answered: return nil
        case .notSent(let fault):
            let text = fault.line
            error = text
            // Nothing was sent, so the messages are safe either way; but do not use a hub that cannot prove its
            // identity.
            verdict = fault.isCertificate ? .authFailed(because: text) : .notSent(because: text)
        case .unknown(let fault):
            let text = fault.line
            error = text
            verdict = .unknown(because: text)
        }
    }
}

extension Reply.Fault {
    /// The service's certificate, or our own trust store. libcurl's codes: 51 and 60 (does not verify), 58 (our
    /// certificate), 77 (trust store unreadable), 83 (issuer), 90 (pinned key), 91 (revoked or no valid status), 94
    /// (our authentication failed).
    var isCertificate: Bool { [51, 58, 60, 77, 83, 90, 91, 94].contains(code) }

    /// One line for operators.
    var line: String {
        let line = text.sanitised()
        return line.isEmpty ? "curl error \(code)" : line
    }
}

extension Reply.Response {
    /// Whether a captive portal, or a proxy that opens TLS, answered with a page of its own: then no service saw the request.
    var isPage: Bool {
        guard let type = self["content-type"] else { return false }
        return type.utf8.prefix(9).elementsEqual("text/html".utf8) { $0 | 0x20 == $1 | 0x20 }
    }
}
