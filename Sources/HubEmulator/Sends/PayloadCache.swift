import PushModel

/// The rendered payloads of one send. Devices with the same payload share one, and the alert text found in it.
struct PayloadCache: Sendable {
    struct Payload: Sendable {
        /// Bytes that are not UTF-8, as in a raw Windows push, become U+FFFD.
        let text: String
        let size: Int
        let alert: AlertText?
        /// For the platform's service, by name.
        var headers: [String: String]
        /// Properties that the template shows and the message lacks, in the template's spelling.
        var missing: [String] = []

        init(_ bytes: [UInt8]) {
            self.init(String(decoding: bytes, as: UTF8.self), size: bytes.count, headers: [:])
        }

        init(_ text: String, headers: [String: String] = [:]) {
            self.init(text, size: text.utf8.count, headers: headers)
        }

        private init(_ text: String, size: Int, headers: [String: String]) {
            self.text = text
            self.size = size
            self.headers = headers
            alert = AlertText(payload: text)
        }

        /// Whether it may have a text that phones look up by its key.
        var mayHaveKeys: Bool { Self.keyWords.contains(where: text.utf8.contains(word:)) }

        /// Whether it may name a category, whose buttons Apple phones show.
        var mayHaveCategory: Bool { text.utf8.contains(word: Self.categoryWord) }

        private static let categoryWord = Array("\"category\"".utf8)
        private static let keyWords = ["loc-key", "loc_key", "ocKey"].map { Array($0.utf8) }

        /// An incoming call, whose payload may be larger.
        var isVoIP: Bool {
            headers.contains { $0.key.lowercased() == "apns-push-type" && $0.value.lowercased() == "voip" }
        }

        func outcome(on platform: Installation.Platform) -> PushOutcome {
            size > platform.payloadLimit(isVoIP: isVoIP) ? .tooLarge : .sent
        }

        func fault(on platform: Installation.Platform) -> String? {
            PlatformPayload.fault(in: text, format: platform.format, headers: headers)
        }
    }

    /// For templates; empty for a send in a platform's own format, which reaches no template.
    private let properties: [String: String]
    /// The body of a send in a platform's own format.
    private let native: Payload?
    private var rendered: [ObjectIdentifier: Payload] = [:]

    init(_ content: ValidatedSend.Content) {
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
        // By `SendFormat.reaches`, template sends reach only templates.
        guard let template = target.template else { return Payload("") }
        if !target.variables.isEmpty { return Self.render(template, properties(over: target.variables)) }
        let key = ObjectIdentifier(template)
        if let payload = rendered[key] { return payload }
        let payload = Self.render(template, properties)
        rendered[key] = payload
        return payload
    }

    private static func render(_ template: SharedTemplate, _ properties: [String: String]) -> Payload {
        var payload = template.render(properties)
        if !template.required.isEmpty {
            let sent = Set(properties.keys.map { $0.lowercased() })
            payload.missing = template.required.filter { !sent.contains($0.lowercased()) }
        }
        return payload
    }

    /// Names are case-insensitive: removes a variable that a property overrides.
    private func properties(over variables: [String: String]) -> [String: String] {
        let sent = Set(properties.keys.map { $0.lowercased() })
        return variables.filter { !sent.contains($0.key.lowercased()) }.merging(properties) { _, sent in sent }
    }
}

extension String.UTF8View {
    fileprivate func contains(word: [UInt8]) -> Bool { firstRange(of: word) != nil }
}
