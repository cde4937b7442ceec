import CommandLineTool

/// A file of rows, CSV with a header or JSON lines, read a batch at a time. What its first character is decides which.
final class TableFile {
    enum Row {
        /// Of a line of CSV, by the header; empty ones are left out.
        case fields([(name: String, value: String)])
        /// Of a JSON line, nulls included.
        case members([(name: String, value: ColumnValue)])
    }

    private let path: String
    private let hint: String
    private let lines: InputLines
    /// Of a CSV file; nil: JSON lines.
    private var header: [String]?
    private var held: InputLines.Line?

    /// - Parameters:
    ///   - hint: what a header and a JSON line look like.
    ///   - check: whether the names of a header will do.
    /// - Throws: `Failure` when it cannot be opened, is empty, or its header will not do.
    init(_ path: String, hint: String, check: ([String]) throws(LineFault) -> Void) throws(Failure) {
        (self.path, self.hint) = (path, hint)
        lines = try InputLines(path)
        guard let first = lines.next() else {
            throw lines.failure ?? Failure(InputFile.name(path), because: "it is empty", status: .badInput)
        }
        if first.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            held = first
            return
        }
        do throws(LineFault) {
            let names = try Self.fields(first.bytes)
            try check(names)
            if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
                throw LineFault("the header has \(twice.quoted) twice")
            }
            header = names
        } catch {
            throw failure(first, error)
        }
    }

    /// The next rows, read; empty at the end.
    ///
    /// - Throws: `Failure` with the number of the line that cannot be read.
    func next<Value>(_ most: Int, _ read: (Row) throws(LineFault) -> Value) throws(Failure) -> [Value] {
        var found: [Value] = []
        while found.count < most, let line = nextLine() {
            do throws(LineFault) {
                found.append(try read(try row(line.bytes)))
            } catch {
                throw failure(line, error)
            }
        }
        if let failure = lines.failure { throw failure }
        return found
    }

    private func nextLine() -> InputLines.Line? {
        defer { held = nil }
        return held ?? lines.next()
    }

    private func row(_ line: [UInt8]) throws(LineFault) -> Row {
        guard let header else { return .members(try ColumnValue.members(of: line)) }
        let values = try Self.fields(line)
        guard values.count == header.count else {
            throw LineFault("it has \(values.count) fields, and the header has \(header.count)")
        }
        return .fields(zip(header, values).filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) })
    }

    private func failure(_ line: InputLines.Line, _ fault: LineFault) -> Failure {
        Failure(
            "\(InputFile.name(path)), line \(line.number)", because: fault.description, hint: hint, status: .badInput)
    }

    /// RFC 4180, but for line breaks within a field.
    private static func fields(_ line: [UInt8]) throws(LineFault) -> [String] {
        let quote = UInt8(ascii: "\"")
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var at = 0
        let end = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
        while at < end {
            let byte = line[at]
            if isQuoted {
                if byte == quote, at + 1 < end, line[at + 1] == quote {
                    field.append(quote)
                    at += 1
                } else if byte == quote {
                    isQuoted = false
                } else {
                    field.append(byte)
                }
            } else if byte == quote, field.isEmpty {
                isQuoted = true
            } else if byte == UInt8(ascii: ",") {
                fields.append(String(decoding: field, as: UTF8.self))
                field = []
            } else {
                field.append(byte)
            }
            at += 1
        }
        if isQuoted { throw LineFault("a quotation mark is not closed; line breaks within a field are not read") }
        guard String(validating: line, as: UTF8.self) != nil else { throw LineFault("it is not UTF-8") }
        return fields + [String(decoding: field, as: UTF8.self)]
    }
}
