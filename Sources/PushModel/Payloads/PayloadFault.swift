/// The first rule that a payload or a row's headers break. Names paths and rules, never values.
struct PayloadFault {
    /// `aps.alert.loc-args[1]`; empty: the whole document.
    let path: String
    /// Follows the path: `is a JSON number; arguments are strings`.
    let wrong: String
    let hint: String
    let isSize: Bool

    /// What is wrong, with the path.
    var text: String { path.isEmpty ? wrong : "\(path) \(wrong)" }

    /// - Parameter column: `content` or `headers`.
    func refusal(of column: String) -> Unsendable {
        let rule = path.isEmpty ? "\(column) \(wrong)" : "\(column): \(path) \(wrong)"
        return Unsendable(reason: isSize ? .tooLarge : .notSendable, "\(rule). \(hint)")
    }

    /// The first broken rule, in the order of the rules and then of the members; nil: none.
    ///
    /// - Parameters:
    ///   - rules: a format, or `header`.
    ///   - warns: by the rules that only warn.
    init?(in document: JSONValue, rules: String, _ context: PayloadContext, warns: Bool = false) {
        guard let (rule, candidate) = PayloadRules.all.firstBroken(in: document, rules, context, warns: warns) else {
            return nil
        }
        self.init(rule, candidate, context)
    }

    private init(_ rule: PayloadRule, _ candidate: PayloadRule.Candidate, _ context: PayloadContext) {
        let name = rule.must == .have ? rule.words[0] : candidate.name
        var path = rule.at.joined(separator: ".")
        if let name { path = (path.isEmpty ? "" : path + ".") + PayloadFault.shown(name) }
        var value = candidate.value
        if rule.must == .listStrings, let wrong = value.firstUnlisted {
            path += "[\(wrong.index)]"
            value = wrong.value
        }
        let key = name.flatMap(PayloadName.init)
        let at = rule.at.joined(separator: ".")
        let bytes = rule.must == .fit ? context.size?.bytes : context.bytes(of: candidate)
        let sibling = rule.must == .beside ? rule.sibling(of: name ?? "") : ""
        let isName = rule.must == .known || rule.must == .notMisspelt
        let meant = isName ? PayloadRules.all.meant(by: name ?? "", rule, context.format.name) : ""
        let placeholders = [
            ("{at}", at), ("{above}", rule.at.dropLast().joined(separator: ".")), ("{beside}", "\(at).\(sibling)"),
            ("{type}", value.type), ("{bytes}", "\(bytes ?? 0)"), ("{limit}", "\(context.size?.limit ?? 0)"),
            ("{words}", rule.words.joined(separator: ", ")), ("{format}", context.format.name),
            ("{headers}", context.format.headerList), ("{apple}", key?.apple ?? ""), ("{android}", key?.android ?? ""),
            ("{meant}", meant),
        ]
        func filled(_ text: String) -> String {
            placeholders.reduce(text) { text, placeholder in text.replacing(placeholder.0, with: placeholder.1) }
        }
        self.path = path
        wrong = filled(rule.wrong)
        hint = filled(rule.hint)
        isSize = rule.must == .fit
    }

    /// Plain names are shown as they are; other names are quoted and shortened.
    private static func shown(_ name: String) -> String {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { Tag.isPlain($0) } ? name : name.quoted
    }
}

extension PayloadRules {
    /// - Parameters:
    ///   - name: a format, or `header`.
    ///   - warns: only the rules that warn; else only those that refuse.
    func firstBroken(
        in document: JSONValue, _ name: String, _ context: PayloadContext, warns: Bool = false
    ) -> (rule: PayloadRule, candidate: PayloadRule.Candidate)? {
        var object: (at: [String], value: JSONValue?) = ([], document)
        for rule in rules[name] ?? [] where (rule.must == .fit) == context.isTooLarge && rule.warns == warns {
            if context.isJudgedByService, rule.isForPhoneAlone { continue }
            if let given = rule.given, PayloadRules.header(given.header, document, name, context) != given.value {
                continue
            }
            if object.at != rule.at { object = (rule.at, rule.at.reduce(document) { value, name in value?[name] }) }
            guard let value = object.value else { continue }
            for candidate in rule.candidates(in: value, namesAreFolded: name == "header")
            where rule.isBroken(by: candidate, context) {
                return (rule, candidate)
            }
        }
        return nil
    }
}

extension PayloadRules {
    /// A header of APNs: the row's, or in a payload for FCM the one that stands there.
    private static func header(
        _ name: String, _ document: JSONValue, _ rules: String, _ context: PayloadContext
    ) -> String? {
        rules == "fcmv1" ? document["message"]?["apns"]?["headers"]?.header(name) : context.headers[name]
    }

    /// Paths that an unknown member was probably meant to have: of its name in another object, or of one like it in its
    /// own.
    func meant(by name: String, _ rule: PayloadRule, _ format: String) -> String {
        let folded = PayloadName.folded(name)
        func path(_ at: [String], _ word: String) -> String { (at + [word]).joined(separator: ".") }
        let near = PayloadName.near(name, in: rule.words)
        if let near, PayloadName.folded(near) == folded { return path(rule.at, near) }
        let others = (rules[format] ?? []).flatMap { other -> [(depth: Int, path: String)] in
            guard other.must == .known || other.must == .notMisspelt, !other.warns, other.at != rule.at,
                // The other spelling of an object stands there, too.
                !other.at.joined().utf8.contains(where: { $0 != $0.foldedASCII })
            else { return [] }
            return other.words.filter { PayloadName.folded($0) == folded }.map { (other.at.count, path(other.at, $0)) }
        }
        let depth = others.map(\.depth).min()
        let elsewhere = others.filter { $0.depth == depth }.map(\.path).joined(separator: " or ")
        if !elsewhere.isEmpty { return elsewhere }
        return near.map { path(rule.at, $0) } ?? "one of " + rule.words.joined(separator: ", ")
    }
}

extension PayloadRule {
    /// The values that the rule is about.
    ///
    /// - Parameter namesAreFolded: whether case does not count, as in names of headers.
    fileprivate func candidates(in object: JSONValue, namesAreFolded: Bool) -> [Candidate] {
        if members == .none { return [Candidate(name: nil, place: 0, value: object, object: object)] }
        guard case .object(let all) = object else { return [] }
        return all.enumerated().compactMap { place, member in
            if case .named(let names) = members,
                !names.contains(namesAreFolded ? member.name.lowercased() : member.name)
            {
                return nil
            }
            return Candidate(name: member.name, place: place + 1, value: member.node.value, object: object)
        }
    }
}
