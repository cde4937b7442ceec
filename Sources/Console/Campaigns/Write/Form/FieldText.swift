import PushModel

/// The text of one field and its JSON, both ways. Pure.
enum FieldText {
    /// The JSON of a text that stands in a field.
    static func json(_ text: String, _ kind: CampaignField.Kind) -> String {
        switch kind {
        case .text: SpecText.string(text)
        case .number: isNumber(text) ? text : SpecText.string(text)
        case .flag: text == "true" || text == "false" ? text : SpecText.string(text)
        case .lines: list(text)
        case .zones: text == "audience" ? SpecText.string(text) : list(text)
        case .handles: SpecText.object([("list", SpecText.string(text))])
        }
    }

    /// What a field shows of a value.
    ///
    /// - Returns: nil: it cannot show it so that `json` makes the same value of it.
    static func text(_ node: JSONNode, _ kind: CampaignField.Kind) -> String? {
        switch (kind, node.value) {
        case (.text, .string(let text)): isLine(text) ? text : nil
        case (.number, .number(let digits)): digits
        case (.number, .string(let text)): isLine(text) && !isNumber(text) ? text : nil
        case (.flag, .bool(let flag)): flag ? "true" : "false"
        case (.flag, .string(let text)): isLine(text) && text != "true" && text != "false" ? text : nil
        case (.zones, .string("audience")): "audience"
        case (.lines, .array(let elements)): lines(elements)
        case (.zones, .array(let elements)): lines(elements).flatMap { $0 == "audience" ? nil : $0 }
        case (.handles, .object(let members)):
            members.count == 1 && members[0].name == "list"
                ? members[0].node.text.flatMap { isLine($0) ? $0 : nil } : nil
        default: nil
        }
    }

    /// What was typed, as a field has it: without blanks around it, of lists without empty lines.
    static func cleaned(_ text: String, _ kind: CampaignField.Kind) -> String {
        switch kind {
        case .lines, .zones:
            text.split(omittingEmptySubsequences: true) { $0.isNewline }.map { trimmed($0) }.filter { !$0.isEmpty }
                .joined(separator: "\n")
        default: trimmed(text[...])
        }
    }

    /// Whether a field of one line shows a text as it is: browsers take line ends out of it, and blanks around it count for nothing.
    static func isLine(_ text: String) -> Bool {
        !text.isEmpty && isKept(text) && !text.contains(where: \.isNewline) && text.isExactly(trimmed(text[...]))
    }

    /// Whether browsers send a text of several lines back as it is.
    static func isKept(_ text: String) -> Bool { !text.unicodeScalars.contains { $0 == "\r" || $0 == "\0" } }

    static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    private static func isNumber(_ text: String) -> Bool {
        // What is no JSON is no number.
        guard case .number = (try? JSONNode(Array(text.utf8)))?.value else { return false }
        return true
    }

    private static func list(_ text: String) -> String {
        "[" + text.split(whereSeparator: \.isNewline).map { SpecText.string(String($0)) }.joined(separator: ",") + "]"
    }

    private static func lines(_ elements: [JSONNode]) -> String? {
        let texts = elements.compactMap(\.text)
        guard !texts.isEmpty, texts.count == elements.count, texts.allSatisfy(isLine) else { return nil }
        return texts.joined(separator: "\n")
    }
}
