/// A JSON text that knows where everything stands.
///
/// Foundation's parsers say neither line nor column, keep the first of two equal keys in silence, and take `1` for
/// `true`: none of that helps somebody whose settings do not load.
struct LocatedJSON: Sendable {
    let root: Node

    /// Both count from 1; a column is a code point.
    struct Place: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    indirect enum Node: Sendable {
        /// In the order written; names may repeat.
        case object([Member])
        case array
        case text(String)
        /// As written.
        case number(String)
        case flag(Bool)
        case null
    }

    struct Member: Sendable {
        let name: String
        let place: Place
        let node: Node
    }

    struct Fault: Error, Sendable, Equatable {
        let place: Place
        /// What was expected. Quotes nothing of the text: it may hold keys.
        let expected: String
    }

    /// - Throws: `Fault` at the first byte that is not JSON (RFC 8259).
    init(_ bytes: [UInt8]) throws(Fault) {
        var parser = LocatedJSONParser(bytes)
        root = try parser.document()
    }
}
