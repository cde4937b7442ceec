/// One rule of a payload or of headers: a row of `push.payload_rule`.
struct PayloadRule: Sendable, Equatable {
    /// Path of the object that the rule looks at; empty: the whole document.
    let at: [String]
    let members: Members
    let must: Must
    /// What the value is compared with.
    let words: [String]
    /// The platform whose spelling counts; nil: the rule is not about spelling.
    let platform: PayloadName.Platform?
    /// A header and its value with which alone the rule holds; nil: it always does.
    let given: Given?
    /// Whether the INSERT takes the row with a WARNING.
    let warns: Bool
    /// What is wrong and how to fix it, with placeholders.
    let wrong: String
    let hint: String

    struct Given: Sendable, Equatable {
        /// In lower case.
        let header: String
        let value: String
    }

    enum Members: Sendable, Equatable {
        /// The object itself.
        case none
        case each
        case named([String])
    }

    /// The words of `push_internal.is_broken`.
    enum Must: String, Sendable, CaseIterable {
        case have, allowed = "be allowed", printable = "be printable", spelled = "be spelled"
        case type = "be of type", digits = "be digits", seconds = "be seconds", xml = "be XML"
        case amongFirst = "be among the first", notExist = "not exist", notSpelled = "not be spelled"
        case equal, equalInAnyCase = "equal in any case", notEqual = "not equal"
        case bytes = "have at most bytes", eachNameOnce = "have each name once", root = "have the root"
        case wellFormed = "be well-formed", rootOfType = "have the root of its type"
        case listStrings = "list strings", beside = "stand beside", fit = "fit the format"
        case match, range = "be in range", mostSeconds = "be at most seconds", listSeconds = "list seconds"
        case notNamed = "not be named", equalIf = "equal if"
        case known = "be known", notMisspelt = "not be misspelt", showSomething = "show something"
        case once = "stand once", notEmpty = "not be empty"
    }

    /// A value that a rule looks at.
    struct Candidate {
        /// Its name in the object; nil: it is the object itself.
        let name: String?
        /// Its place among the members, from 1.
        let place: Int
        let value: JSONValue
        let object: JSONValue
    }

    /// - Parameter context: what the document alone does not say.
    func isBroken(by candidate: Candidate, _ context: PayloadContext) -> Bool {
        let value = candidate.value
        let text = value.text
        let name = candidate.name ?? ""
        switch must {
        case .have: return value.isObject && value[words[0]] == nil
        case .notExist: return true
        case .once:
            guard case .object(let all) = candidate.object else { return false }
            return all.count { $0.name == name } > 1
        case .notEmpty:
            guard case .object(let all) = value else { return false }
            return all.isEmpty
        case .known: return !isKnown(name)
        case .notMisspelt: return !words.contains(name) && PayloadName.near(name, in: words) != nil
        case .showSomething:
            return value["content-available"]?.text == "1" && !words.contains { value[$0] != nil }
        case .type: return !words.contains(value.type)
        case .equal: return text.map { !words.contains($0) } ?? false
        case .equalInAnyCase: return text.map { !words.contains($0.lowercased()) } ?? false
        case .notEqual: return text.map(words.contains) ?? false
        case .match: return text.map { !PayloadRule.matches($0, words[0]) } ?? false
        case .range:
            guard case .number(let number) = value, words.count < 3 || candidate.object[words[2]] == nil else {
                return false
            }
            return !PayloadRule.isNumber(number, from: words[0], to: words[1])
        case .mostSeconds: return text.map { !PayloadRule.isDuration($0, most: words[0]) } ?? false
        case .listSeconds:
            guard case .array(let elements) = value else { return false }
            return !elements.allSatisfy { element in
                if case .string(let text) = element.value { PayloadRule.isDuration(text) } else { false }
            }
        case .notNamed:
            // By bytes, as `starts_with` in push_internal.
            return words.contains { $0.last == "*" ? name.utf8.starts(with: $0.utf8.dropLast()) : name == $0 }
        case .equalIf:
            return candidate.object.header(words[1]) == words[2] && text.map { $0 != words[0] } ?? false
        case .digits: return text.map { !PayloadRule.areDigits($0.utf8[...]) } ?? false
        case .seconds: return text.map { !PayloadRule.isDuration($0) } ?? false
        case .bytes: return (context.bytes(of: candidate) ?? 0) > limit
        case .amongFirst: return candidate.place > limit
        case .listStrings: return value.firstUnlisted != nil
        case .beside: return candidate.object[sibling(of: name)] == nil
        case .spelled: return rightName(for: name).map { $0 != name } ?? false
        case .notSpelled: return rightName(for: name) != nil
        case .xml:
            guard context.xmlType != "wns/raw" else { return false }
            guard case .string(let xml) = value else { return true }
            return !WindowsPayload.isXML(xml)
        case .wellFormed:
            guard context.xmlType != "wns/raw", case .string(let xml) = value else { return false }
            return !XMLScanner.isDocument(Array(xml.utf8))
        case .root:
            guard context.xmlType == nil, case .string(let xml) = value else { return false }
            return !words.contains(XMLScanner.rootName(of: Array(xml.utf8)) ?? "")
        case .rootOfType:
            guard let type = context.xmlType, type != "wns/raw", case .string(let xml) = value else { return false }
            return "wns/" + (XMLScanner.rootName(of: Array(xml.utf8)) ?? "") != type
        case .fit: return context.isTooLarge
        case .eachNameOnce: return value.hasNameTwice
        case .allowed: return !context.format.allows(name, isDirect: context.isDirect)
        case .printable:
            guard let text else { return false }
            return text.utf8.count > limit || !text.utf8.contains { $0 != UInt8(ascii: " ") }
                || !text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        }
    }

    /// The number in `words`.
    private var limit: Int { Int(words[0]) ?? 0 }

    /// The member that this one needs: `loc-key` for `loc-args`.
    func sibling(of name: String) -> String { name.dropLast(words[0].count) + words[1] }

    /// In snake_case, or in the camelCase that stands for it.
    private func isKnown(_ name: String) -> Bool {
        if words.contains(name) { return true }
        if name.utf8.contains(UInt8(ascii: "_")) { return false }
        let snake = name.utf8.flatMap { $0 == $0.foldedASCII ? [$0] : [UInt8(ascii: "_"), $0.foldedASCII] }
        return words.contains(String(decoding: snake, as: UTF8.self))
    }

    private func rightName(for name: String) -> String? {
        platform.flatMap { PayloadName(name)?.spelling(for: $0) }
    }

    /// Patterns have no construct that PostgreSQL reads in another way.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        // Patterns stand in the rules, which are compiled in; a broken one matches nothing, and a test would show it.
        guard let regex = try? Regex(pattern) else { return false }
        return text.wholeMatch(of: regex.matchingSemantics(.unicodeScalar)) != nil
    }

    private static func isNumber(_ text: String, from low: String, to high: String) -> Bool {
        let exponent = text.utf8.split(whereSeparator: { $0 | 0x20 == UInt8(ascii: "e") }).dropFirst().first
        // As the database, which cannot read every number.
        if let exponent, exponent.count(where: { $0 &- UInt8(ascii: "0") < 10 }) >= 3 { return false }
        guard let number = Double(text), let low = Double(low), let high = Double(high) else { return false }
        return (low...high).contains(number)
    }

    private static func isDuration(_ text: String, most: String) -> Bool {
        guard isDuration(text), text.utf8.count <= 111, let seconds = Double(text.dropLast()), let most = Double(most)
        else { return false }
        return seconds <= most
    }

    private static func areDigits(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty && text.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// `3600s`, `1.5s`: up to nine digits after the point.
    private static func isDuration(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "s") else { return false }
        let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && (parts.count == 1 || parts[1].count <= 9) && parts.allSatisfy(areDigits)
    }
}

/// What a rule has to know beside the document.
struct PayloadContext {
    let format: PayloadFormat
    /// Whether the message is for handles.
    var isDirect = false
    /// The row's headers, by name in lower case.
    var headers: [String: String] = [:]
    /// Bytes of the payload, and how many are allowed; nil: the size is not looked at.
    var size: (bytes: Int, limit: Int)?
    /// Bytes of the whole document as given.
    var documentBytes: Int?
    /// Whether the service judges, which takes what only the phone would not understand.
    var isJudgedByService = false

    var xmlType: String? { headers["x-wns-type"] }
    var isTooLarge: Bool { size.map { $0.bytes > $0.limit } ?? false }

    /// The length that a limit of bytes is about.
    func bytes(of candidate: PayloadRule.Candidate) -> Int? {
        candidate.name == nil ? documentBytes : candidate.value.text?.utf8.count
    }
}

extension JSONValue {
    var isObject: Bool { if case .object = self { true } else { false } }

    /// As PostgreSQL names it: `json_typeof`.
    var type: String {
        switch self {
        case .object: "object"
        case .array: "array"
        case .string: "string"
        case .number: "number"
        case .bool: "boolean"
        case .null: "null"
        }
    }

    /// The last member of that name, as in PostgreSQL's `->`; nil when it has no such member, or is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.node.value
    }

    /// A value that is compared with words; nil: null, or something nested.
    fileprivate var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .object, .array, .null: nil
        }
    }

    /// Index and value of the first element that is not a string; nil: all are, or this is not an array.
    var firstUnlisted: (index: Int, value: JSONValue)? {
        guard case .array(let elements) = self else { return nil }
        return elements.enumerated().first { $0.element.value.type != "string" }.map { ($0.offset, $0.element.value) }
    }

    /// The value of a header, whatever the case of its name.
    func header(_ name: String) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.lowercased() == name }?.node.value.text
    }

    fileprivate var hasNameTwice: Bool {
        guard case .object(let members) = self else { return false }
        return Set(members.map { $0.name.lowercased() }).count < members.count
    }
}
