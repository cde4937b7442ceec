import PushModel

/// The finished payloads of one send. Devices that get the same share one, and what can be read in it.
struct Payloads: Sendable {
    struct Payload: Sendable {
        /// Bytes that are no text, which Windows takes raw, are shown as U+FFFD.
        let text: String
        let size: Int
        let alert: Alert?

        init(_ bytes: [UInt8]) {
            self.init(String(decoding: bytes, as: UTF8.self), size: bytes.count)
        }

        init(_ text: String) { self.init(text, size: text.utf8.count) }

        private init(_ text: String, size: Int) {
            self.text = text
            self.size = size
            alert = Alert(payload: text)
        }

        func outcome(on platform: Installation.Platform, isVoIP: Bool) -> PushOutcome {
            guard let limit = platform.payloadLimit(isVoIP: isVoIP) else { return .sent }
            return size > limit ? .tooLarge : .sent
        }
    }

    /// For templates; empty for a send in a platform's own format, which reaches none.
    private let properties: [String: String]
    /// The body of a send in a platform's own format.
    private let native: Payload?
    private var rendered: [ObjectIdentifier: Payload] = [:]

    init(_ content: Submission.Content) {
        switch content {
        case .properties(let object):
            properties = Dictionary(object.pairs.map { ($0.name, $0.value) }) { first, _ in first }
            native = nil
        case .payload(let payload):
            properties = [:]
            native = payload
        }
    }

    mutating func payload(for target: PushTarget) -> Payload {
        if let native { return native }
        // `SendFormat.reaches` gives template sends templates only.
        guard let template = target.template else { return Payload("") }
        if !target.variables.isEmpty { return Payload(template.template.render(properties(over: target.variables))) }
        let key = ObjectIdentifier(template)
        if let known = rendered[key] { return known }
        let payload = Payload(template.template.render(properties))
        rendered[key] = payload
        return payload
    }

    /// Names compare without case, so a variable that a property overrides is taken out.
    private func properties(over variables: [String: String]) -> [String: String] {
        let sent = Set(properties.keys.map { $0.lowercased() })
        return variables.filter { !sent.contains($0.key.lowercased()) }.merging(properties) { _, sent in sent }
    }
}
