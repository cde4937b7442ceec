/// A JSON text, with the line and column of every name.
///
/// Foundation's parsers report neither line nor column, keep the first of two equal names without a word, and take `1`
/// for `true`: none of that helps an operator whose settings do not load.
package struct LocatedJSON: Sendable {
    package let root: Node

    /// Both count from 1; a column is a code point.
    package struct Place: Sendable, Equatable {
        package var line: Int
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        /// Where a fault is in the text that has it.
        package init(of error: JSONError, in bytes: [UInt8]) {
            self.init(of: error.offset, in: bytes)
        }

        /// - Parameter offset: of a byte.
        package init(of offset: Int, in bytes: [UInt8]) {
            var lines = LineCounter(bytes, from: 0)
            self = lines.place(of: offset)
        }
    }

    package indirect enum Node: Sendable {
        /// In the order written; names may repeat.
        case object([Member])
        case array
        case text(String)
        /// As written.
        case number(String)
        case flag(Bool)
        case null
    }

    package struct Member: Sendable {
        package let name: String
        package let place: Place
        package let node: Node
    }

    package struct Fault: Error, Sendable, Equatable {
        package let place: Place
        /// What was expected. Quotes nothing of the text: it may hold keys.
        package let expected: String
    }

    /// - Parameter bytes: UTF-8; a byte order mark at the start, as Windows editors leave it, is skipped.
    /// - Throws: `Fault` at the first byte that is not JSON (RFC 8259), or at the 33rd level of nesting.
    package init(_ bytes: [UInt8]) throws(Fault) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var lines = LineCounter(bytes, from: start)
        var scanner = JSONScanner(bytes, from: start, depthLimit: 32)
        let node: JSONNode
        do throws(JSONError) {
            node = try scanner.node()
            try scanner.expectEnd(of: "text")
        } catch {
            throw Fault(place: lines.place(of: error.offset), expected: error.expected ?? "nothing more")
        }
        root = Self.located(node, &lines)
    }

    private static func located(_ node: JSONNode, _ lines: inout LineCounter) -> Node {
        switch node.value {
        case .object(let members):
            .object(
                members.map { member in
                    let place = lines.place(of: member.start)
                    return Member(name: member.name, place: place, node: located(member.node, &lines))
                })
        case .array: .array
        case .string(let text): .text(text)
        case .number(let digits): .number(digits)
        case .bool(let flag): .flag(flag)
        case .null: .null
        }
    }
}

/// Counts lines and columns from the last place asked for, so that a file of many names is read once.
private struct LineCounter {
    private let bytes: [UInt8]
    private var offset: Int
    private var place = LocatedJSON.Place(line: 1, column: 1)

    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        offset = start
    }

    /// - Parameter offset: not before the one asked for last.
    mutating func place(of offset: Int) -> LocatedJSON.Place {
        for byte in bytes[self.offset..<offset] {
            if byte == UInt8(ascii: "\n") {
                place = LocatedJSON.Place(line: place.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                place.column += 1
            }
        }
        self.offset = offset
        return place
    }
}
