import Telemetry

/// What `--json` prints. Keys are sorted and what is absent is null, so a document always has the same keys.
package enum JSONOutput: Sendable {
    case null
    case flag(Bool)
    case number(Int64)
    case decimal(Double)
    case text(String)
    case list([JSONOutput])
    case object([String: JSONOutput])
    /// JSON that another program wrote: printed as it is.
    case written(String)

    package static func text(_ text: String?) -> JSONOutput { text.map(JSONOutput.text) ?? .null }
    package static func number(_ number: (some FixedWidthInteger)?) -> JSONOutput {
        number.map { .number(Int64($0)) } ?? .null
    }
    /// An infinity is no JSON: null.
    package static func decimal(_ number: Double?) -> JSONOutput {
        number.flatMap { $0.isFinite ? JSONOutput.decimal($0) : nil } ?? .null
    }

    /// Lists and objects that hold others are broken into lines.
    package var document: String { written(indent: "") }

    /// Without a line end, for documents that follow each other line by line.
    package var line: String {
        switch self {
        case .list(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { LogEscaping.quoted($0.key) + ": " + $0.value.line }
                .joined(separator: ", ") + "}"
        default: document
        }
    }

    private func written(indent: String) -> String {
        switch self {
        case .null: return "null"
        case .flag(let flag): return "\(flag)"
        case .number(let number): return "\(number)"
        case .decimal(let number): return "\(number)"
        case .text(let text): return LogEscaping.quoted(text)
        case .written(let json): return json
        case .list(let values):
            return Self.joined(values.map { ("", $0) }, between: ("[", "]"), indent: indent)
        case .object(let members):
            let parts = members.sorted { $0.key < $1.key }.map { (LogEscaping.quoted($0.key) + ": ", $0.value) }
            return Self.joined(parts, between: ("{", "}"), indent: indent)
        }
    }

    private static func joined(
        _ parts: [(label: String, value: JSONOutput)], between brackets: (String, String), indent: String
    ) -> String {
        guard parts.contains(where: { $0.value.isNested }) else {
            return brackets.0 + parts.map { $0.label + $0.value.document }.joined(separator: ", ") + brackets.1
        }
        let inner = indent + "  "
        let lines = parts.map { inner + $0.label + $0.value.written(indent: inner) }
        return brackets.0 + "\n" + lines.joined(separator: ",\n") + "\n" + indent + brackets.1
    }

    private var isNested: Bool {
        switch self {
        case .list(let values): !values.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }
}
