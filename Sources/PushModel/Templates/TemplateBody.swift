/// The normal form of the body of a template: bodies that show the same and differ in blanks alone are one.
enum TemplateBody {
    /// Bytes a body may have: no request could bring more to a hub.
    static let limit = 65_536

    /// JSON without blanks between values and with strings escaped in one way; names stay in their order, numbers as they
    /// are written. Of XML only the blanks around it go: within it they may count.
    ///
    /// - Throws: `InvalidTemplate` when it is empty, too long, or not what the platform takes.
    static func normal(_ body: String, platform: String, member: String?) throws(InvalidTemplate) -> String {
        try check(body.utf8.count, member)
        if PlatformTemplate.isXML(platform) {
            let bytes = Array(body.utf8)
            guard XMLOutline(body) != nil else { throw InvalidTemplate(member, "it is not XML") }
            let start = bytes.firstIndex { $0 > 0x20 } ?? 0
            let end = bytes.lastIndex { $0 > 0x20 } ?? 0
            return String(decoding: bytes[start...end], as: UTF8.self)
        }
        var text: [UInt8] = []
        text.reserveCapacity(body.utf8.count)
        do throws(JSONError) {
            append(try JSONNode(Array(body.utf8)), to: &text)
        } catch {
            throw InvalidTemplate(member, "it is not JSON: character \(error.position): \(error.rule)")
        }
        try check(text.count, member)  // an escape may have become longer
        return String(decoding: text, as: UTF8.self)
    }

    private static func check(_ bytes: Int, _ member: String?) throws(InvalidTemplate) {
        guard bytes <= limit else { throw InvalidTemplate(member, "it has \(bytes) bytes, \(limit) are allowed") }
    }

    private static func append(_ node: JSONNode, to text: inout [UInt8]) {
        switch node.value {
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.node, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .string(let string): append(string, to: &text)
        case .number(let digits): text += digits.utf8
        case .bool(let flag): text += (flag ? "true" : "false").utf8
        case .null: text += "null".utf8
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        JSONText.append(string, to: &text)
        text.append(UInt8(ascii: "\""))
    }
}
