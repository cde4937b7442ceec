/// What a hub's error body says:
/// `<Error><Code>401</Code><Detail>text.TrackingId:{id},TimeStamp:{time}</Detail></Error>`.
///
/// Never fails. An empty body, HTML from a proxy, JSON or half a document leave the fields empty.
struct HubError: Equatable {
    var code = ""
    var detail = ""
    var tracking: String?
    var timestamp: String?
    /// `40900` of `SubCode=40900`.
    var subcode: String?
    /// `ExpiredToken` of `ExpiredToken: ...`.
    var name: String?

    /// Bytes looked at: the service's own bodies have a few hundred.
    private static let limit = 16_384

    init(body: [UInt8]) {
        guard !body.isEmpty else { return }
        let text = String(decoding: body.prefix(Self.limit), as: UTF8.self)
        guard let start = text.firstRange(of: "<Error") else { return }
        let document = text[start.lowerBound...]
        code = Self.element("Code", in: document) ?? ""
        parse(detail: Self.element("Detail", in: document) ?? "")
    }

    private mutating func parse(detail whole: String) {
        var said = whole[...]
        if let mark = whole.ranges(of: "TrackingId:").last {
            said = whole[..<mark.lowerBound]
            if said.last == "." { said.removeLast() }  // belongs to the mark, not to the sentence
            let rest = whole[mark.upperBound...]
            tracking = Self.trimmed(rest.prefix { $0 != "," })
            timestamp = rest.firstRange(of: "TimeStamp:").flatMap { Self.trimmed(rest[$0.upperBound...]) }
        }
        detail = Self.trimmed(said) ?? ""
        subcode = detail.firstRange(of: "SubCode=").flatMap {
            Self.trimmed(detail[$0.upperBound...].prefix { $0.isASCII && $0.isNumber })
        }
        let word = detail.prefix { $0.isASCII && $0.isLetter }
        if detail[word.endIndex...].hasPrefix(":") { name = Self.trimmed(word) }
    }

    /// The text of the first element of that name; to the end when the document was cut off before its end tag.
    private static func element(_ name: String, in document: Substring) -> String? {
        guard let start = document.firstRange(of: "<\(name)"),
            let open = document[start.upperBound...].firstIndex(of: ">")
        else { return nil }
        let rest = document[document.index(after: open)...]
        if let end = rest.firstRange(of: "</") { return XMLText.unescape(rest[..<end.lowerBound]) }
        return XMLText.unescape(rest.last == "<" ? rest.dropLast() : rest)
    }

    /// nil when nothing is left.
    private static func trimmed(_ text: Substring) -> String? {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(start[...last])
    }
}
