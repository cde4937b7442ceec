import PushModel

/// The finished payloads of one send. Devices that get the same share one, and what can be read in it.
struct Payloads: Sendable {
    struct Payload: Sendable {
        let text: String
        let alert: Alert?

        init(_ text: String) {
            self.text = text
            alert = Alert(payload: text)
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
        case .payload(let text):
            properties = [:]
            native = Payload(text)
        }
    }

    mutating func payload(for target: PushTarget) -> Payload {
        if let native { return native }
        // `SendFormat.reaches` gives template sends templates only.
        guard let template = target.template else { return Payload("") }
        let key = ObjectIdentifier(template)
        if let known = rendered[key] { return known }
        let payload = Payload(template.template.render(properties))
        rendered[key] = payload
        return payload
    }
}
