import CommandLineTool
import PushModel

/// A file of rows, CSV with a header or JSON lines, read a batch at a time. What its first character is decides which.
final class TableFile {
    enum Row {
        /// Of a line of CSV, by the header; empty ones are left out.
        case fields([(name: String, value: String)])
        /// Of a JSON line, nulls included.
        case members([(name: String, value: ColumnValue)])

        /// What it has under a name; nil: nothing, or neither text nor number.
        func text(_ name: String) -> String? {
            switch self {
            case .fields(let fields): return fields.first { $0.name == name }?.value
            case .members(let members):
                let value = members.first { $0.name == name }?.value
                if case .number(let digits)? = value?.value { return digits }
                return value?.text
            }
        }
    }

    let bad: BadLines
    private let path: String
    private let hint: String
    private let key: String
    private let lines: InputLines
    /// Of a CSV file; nil: JSON lines.
    private var header: (names: [String], separator: UInt8)?
    private var held: InputLines.Line?
    private var isFinished = false

    /// - Parameters:
    ///   - bad: where the bad lines go.
    ///   - hint: what a header and a JSON line look like.
    ///   - key: the column by which people recognise a line.
    ///   - check: whether the names of a header will do.
    /// - Throws: `Failure` when it cannot be opened, is empty, or its header will not do.
    init(
        _ path: String, _ bad: BadLines, hint: String, key: String, check: ([String]) throws(LineFault) -> Void
    ) throws(Failure) {
        (self.path, self.bad, self.hint, self.key) = (path, bad, hint, key)
        lines = try InputLines(path)
        guard let first = lines.next() else {
            throw lines.failure ?? Failure(InputFile.name(path), because: "it is empty", status: .badInput)
        }
        if first.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            held = first
            return
        }
        do throws(LineFault) {
            let separator = CSV.separator(of: first.bytes)
            let names = try CSV.fields(first.bytes, by: separator)
            try check(names)
            if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
                throw LineFault("the header has \(twice.quoted) twice")
            }
            header = (names, separator)
        } catch {
            throw Failure([error.complaint(of: path, line: first.number, hint: hint)], status: .badInput)
        }
    }

    /// The next rows, read; empty at the end.
    ///
    /// - Parameter read: gets a row and the number of its line.
    /// - Throws: `Failure` at the end when lines are bad and may not be left out; at once when the file cannot be read on.
    func next<Value>(_ most: Int, _ read: (Row, Int) throws(LineFault) -> Value) throws(Failure) -> [Value] {
        var found: [Value] = []
        while found.count < most, let line = nextLine() {
            var key: String?
            do throws(LineFault) {
                let row = try row(line.bytes)
                key = row.text(self.key)
                let value = try read(row, line.number)
                if !bad.refuseAll { found.append(value) }
            } catch {
                try bad.add(error, of: path, line: line.number, key: key, hint: hint)
                if bad.refuseAll { found = [] }
            }
        }
        if let failure = lines.failure { throw failure }
        if found.count < most, !isFinished {
            isFinished = true
            try bad.finish(path)
        }
        return found
    }

    private func nextLine() -> InputLines.Line? {
        defer { held = nil }
        return held ?? lines.next()
    }

    private func row(_ line: [UInt8]) throws(LineFault) -> Row {
        if line.contains(0) || header == nil && JSONText.nul(in: line) != nil {
            throw LineFault("it has the character NUL, which PostgreSQL does not hold")
        }
        guard let header else { return .members(try ColumnValue.members(of: line)) }
        let values = try CSV.fields(line, by: header.separator)
        guard values.count == header.names.count else {
            throw LineFault("it has \(values.count) fields, and the header has \(header.names.count)")
        }
        return .fields(zip(header.names, values).filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) })
    }
}
