/// One statement with its values. A value in `\( )` becomes `$1`, `$2`, … and is sent beside the text in binary form,
/// so no value is ever quoted, escaped or parsed as SQL.
///
/// ```swift
/// let sql: SQL = "SELECT * FROM push_worker.claim_v1(\(hub), \(priority), \(limit))"
/// ```
///
/// The Swift type of a value decides its PostgreSQL type (`PostgresValue`): a `String` is `text`. Cast where the
/// statement wants another type: `\(document)::json`, `\(words)::text[]::push.status[]`.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The statement as the server sees it, with `$1` where a value was. Holds no values.
    public let text: String
    let parameters: Parameters

    public init(stringLiteral text: String) {
        self.text = text
        self.parameters = Parameters()
    }

    public init(stringInterpolation: StringInterpolation) {
        self.text = stringInterpolation.text
        self.parameters = stringInterpolation.parameters
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var parameters = Parameters()

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 4 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds the value as the next parameter.
        public mutating func appendInterpolation(_ value: some PostgresValue) {
            parameters.append(value)
            text += "$\(parameters.entries.count)"
        }

        /// The same for an optional: nil is NULL. Without this overload the compiler warns of a debug description.
        public mutating func appendInterpolation<V: PostgresValue>(_ value: V?) {
            parameters.append(value)
            text += "$\(parameters.entries.count)"
        }

        /// Splices text of our own into the statement as it is: a name, a clause. Never something out of a row.
        public mutating func appendInterpolation(raw: String) { text += raw }

        /// Splices a quoted name: `tab"le` becomes `"tab""le"`.
        public mutating func appendInterpolation(name: String) { text += SQL.quoted(name) }
    }

    /// A name in double quotes, which PostgreSQL reads back unchanged.
    public static func quoted(_ name: String) -> String {
        var quoted = "\""
        for character in name.unicodeScalars {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
