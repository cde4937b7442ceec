/// The rules of native payloads and of headers: the JSON files beside this one, compiled in. `bin/generate` writes them into
/// `migrations/functions/rules/payload_rules.sql`, so what the database refuses at the INSERT, the planner refuses, too.
struct PayloadRules: Sendable {
    static let all = PayloadRules(
        files: [PackageResources.apple_json, PackageResources.fcm_json, PackageResources.other_json])

    /// By name, `template` included.
    let formats: [String: PayloadFormat]
    /// By folded name.
    let names: [String: PayloadName]
    /// By format, in order; `header`: of the headers of every format.
    let rules: [String: [PayloadRule]]

    private init(files: [[UInt8]]) {
        let documents = files.map(Self.document)
        func all(_ part: String) -> [JSONValue.Member] { documents.flatMap { $0.members(part) } }
        formats = Dictionary(
            uniqueKeysWithValues: all("formats").map { ($0.name, PayloadFormat($0.name, $0.node.value)) })
        names = Dictionary(
            uniqueKeysWithValues: documents.flatMap { $0.elements("names") }.map { node in
                let name = PayloadName(apple: node.string("apple") ?? "", android: node.string("android"))
                return (node.string("also") ?? PayloadName.folded(name.apple), name)
            })
        var rules: [String: [PayloadRule]] = [:]
        for document in documents {
            for node in document.elements("rules") {
                let rule = PayloadRule(node)
                let formats = node.strings("for")
                for format in formats { rules[format, default: []].append(rule) }
                guard formats.count == 1 else { continue }
                for whole in document["parts"]?.members(formats[0]) ?? [] {
                    guard case .string(let path) = whole.node.value else { continue }
                    rules[whole.name, default: []].append(rule.moved(to: path))
                }
            }
        }
        self.rules = rules
    }

    private static func document(_ file: [UInt8]) -> JSONValue {
        do {
            return try JSONNode(file).value
        } catch {
            // The text is compiled in, and every test of payloads reads it: no build with a fault in it passes, and no
            // input of a user gets here.
            fatalError("the rules of payloads are not JSON: \(error)")
        }
    }
}

/// A format of `push.message`: a row of `push.payload_format`.
struct PayloadFormat: Sendable {
    let name: String
    /// Bytes of a payload at most; nil: a template.
    let bytes: Int?
    /// The same for a call over Apple's VoIP service.
    let callBytes: Int?
    /// Headers that a row may set, in their usual case; `*` stands for letters and hyphens.
    let headers: [String]
    /// Whether it may set them only together with handles.
    let isDirect: Bool

    fileprivate init(_ name: String, _ node: JSONValue) {
        self.name = name
        bytes = node.number("bytes")
        callBytes = node.number("call_bytes")
        headers = node.strings("headers")
        isDirect = node["direct"] == .bool(true)
    }

    /// Whether a row may set this header.
    func allows(_ header: String, isDirect: Bool) -> Bool {
        if self.isDirect && !isDirect { return false }
        let header = header.lowercased()
        return headers.contains { name in
            guard name.last == "*" else { return name.lowercased() == header }
            let start = name.dropLast().lowercased()
            let rest = header.utf8.dropFirst(start.utf8.count)
            return header.hasPrefix(start) && !rest.isEmpty
                && rest.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "a") < 26 }
        }
    }

    /// For people: the headers that a row may set.
    var headerList: String {
        if !headers.isEmpty { return headers.joined(separator: ", ") + (isDirect ? ", only with handles" : "") }
        return name == "fcmv1"
            ? "no headers: those of Apple and of browsers stand in the content, as message.apns.headers and "
                + "message.webpush.headers"
            : "no headers"
    }
}

/// A key that names a text of the app: each platform knows one spelling and ignores the others in silence, so that the
/// device shows nothing.
struct PayloadName: Sendable {
    enum Platform: String { case apple, android }

    let apple: String
    /// nil: Android has none.
    let android: String?

    fileprivate init(apple: String, android: String?) {
        self.apple = apple
        self.android = android
    }

    /// - Parameter name: in any spelling: `title-loc-key`, `titleLocKey`, `title_loc_key`.
    init?(_ name: String) {
        // A quick check first: nearly all other names do not end in `key` or `args`.
        guard let last = name.utf8.last?.foldedASCII, last == UInt8(ascii: "y") || last == UInt8(ascii: "s"),
            let known = PayloadRules.all.names[PayloadName.folded(name)]
        else { return nil }
        self = known
    }

    func spelling(for platform: Platform) -> String? { platform == .apple ? apple : android }

    /// The known name that a name was probably meant to be: the same without case, hyphens and underscores, or one or two
    /// typing errors away; nil: no known name.
    static func near(_ name: String, in known: [String]) -> String? {
        let wanted = Array(folded(name).utf8)
        let most = wanted.count < 4 ? 0 : wanted.count < 8 ? 1 : 2
        var best: (word: String, errors: Int)?
        for word in known {
            let bytes = Array(folded(word).utf8)
            guard abs(bytes.count - wanted.count) <= most else { continue }
            let errors = DidYouMean.distance(wanted, bytes)
            if errors <= most, best.map({ errors < $0.errors }) ?? true { best = (word, errors) }
        }
        return best?.word
    }

    static func folded(_ name: String) -> String {
        let bytes = name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map(\.foldedASCII)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PayloadRule {
    fileprivate init(_ node: JSONValue) {
        at = (node.string("at") ?? "").split(separator: ".").map(String.init)
        let names = node.strings("members")
        members = names == ["*"] ? .each : names.isEmpty ? .none : .named(names)
        guard let must = node.string("must").flatMap(Must.init) else {
            // As above: a rule that this build does not know is a fault of the build, and would let bad payloads pass.
            fatalError("a rule of Sources/PushModel/Payloads is unknown: \(node.string("must") ?? "no must")")
        }
        self.must = must
        words = node.strings("words")
        platform = node.string("names").flatMap(PayloadName.Platform.init)
        let when = node.strings("when")
        given = when.count == 2 ? Given(header: when[0], value: when[1]) : nil
        warns = node["warns"] == .bool(true)
        wrong = node.string("wrong") ?? ""
        hint = node.string("hint") ?? ""
    }

    /// The same rule for a payload that is part of another one.
    fileprivate func moved(to path: String) -> PayloadRule {
        PayloadRule(
            at: path.split(separator: ".").map(String.init) + at, members: members, must: must, words: words,
            platform: platform, given: given, warns: warns, wrong: wrong, hint: hint)
    }
}

extension JSONValue {
    fileprivate func members(_ name: String) -> [Member] {
        guard case .object(let members) = self[name] else { return [] }
        return members
    }

    fileprivate func elements(_ name: String) -> [JSONValue] {
        guard case .array(let elements) = self[name] else { return [] }
        return elements.map(\.value)
    }

    fileprivate func string(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return text
    }

    fileprivate func strings(_ name: String) -> [String] {
        elements(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    fileprivate func number(_ name: String) -> Int? {
        guard case .number(let text) = self[name] else { return nil }
        return Int(text)
    }
}
