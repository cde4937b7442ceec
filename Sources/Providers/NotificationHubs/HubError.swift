/// A hub's error body:
/// `<Error><Code>401</Code><Detail>text.TrackingId:{id},TimeStamp:{time}</Detail></Error>`.
///
/// Never fails: an empty body, HTML from a proxy, JSON or half a document leave the fields empty.
struct HubError: Equatable {
    var code = ""
    var detail = ""
    var tracking: String?
    var timestamp: String?
    /// `40900` of `SubCode=40900`.
    var subcode: String?
    /// `ExpiredToken` of `ExpiredToken: ...`.
    var name: String?

    /// Bytes read: the service's own bodies have a few hundred.
    private static let limit = 16_384

    /// No error body.
    init() {}

    init(body: [UInt8]) {
        // Bytes, not characters: a busy hub sends thousands of these a second.
        let document = body.prefix(Self.limit)
        guard let start = document.first("<Error") else { return }
        let error = document[start.upperBound...]
        code = error.element("<Code")
        parse(detail: error.element("<Detail"))
    }

    private mutating func parse(detail whole: String) {
        let whole = Array(whole.utf8)[...]
        var sentence = whole
        if let mark = whole.first("TrackingId:") {
            sentence = whole[..<mark.lowerBound]
            if sentence.last == UInt8(ascii: ".") { sentence.removeLast() }  // belongs to the mark
            let rest = whole[mark.upperBound...]
            tracking = Self.text(rest.prefix { $0 != UInt8(ascii: ",") })
            timestamp = rest.first("TimeStamp:").flatMap { Self.text(rest[$0.upperBound...]) }
        }
        detail = Self.text(sentence) ?? ""
        subcode = sentence.first("SubCode=").flatMap { Self.text(sentence[$0.upperBound...].prefix { isDigit($0) }) }
        let word = sentence.prefix { isLetter($0) }
        if sentence[word.endIndex...].first == UInt8(ascii: ":") { name = Self.text(word) }
    }

    /// Without white space around it; nil when nothing is left.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let start = bytes.drop { $0 <= 0x20 }
        guard let last = start.lastIndex(where: { $0 > 0x20 }) else { return nil }
        return String(decoding: start[...last], as: UTF8.self)
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
}
