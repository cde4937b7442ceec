import CommandLineTool
import Store

/// Suppressions from a file, CSV or JSON lines.
struct SuppressionFile {
    static let columns = ["what", "value", "reason", "until"]

    private let file: TableFile

    /// - Throws: `Failure` when it cannot be opened, or its header lacks a column.
    init(_ path: String) throws(Failure) {
        file = try TableFile(
            path, hint: #"A header is what,value,reason,until; a JSON line is {"what": "key", "value": "42"}."#
        ) { names throws(LineFault) in
            for name in ["what", "value"] where !names.contains(name) {
                throw LineFault("the header has no column \(name)")
            }
            if let other = names.first(where: { !Self.columns.contains($0) }) { throw Self.unknown(other) }
        }
    }

    /// The next ones; empty at the end.
    ///
    /// - Throws: `Failure` with the number of the line that cannot be one.
    func next(_ most: Int) throws(Failure) -> [Audiences.Suppression] {
        try file.next(most) { row throws(LineFault) in
            switch row {
            case .fields(let fields):
                try Self.suppression(Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) }))
            case .members(let members): try Self.suppression(try Self.texts(members))
            }
        }
    }

    private static func unknown(_ name: String) -> LineFault {
        LineFault("\(name.quoted) is not known; a suppression has what, value, reason and until")
    }

    private static func texts(_ members: [(name: String, value: ColumnValue)]) throws(LineFault) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard columns.contains(name) else { throw unknown(name) }
            if case .null = value.value { continue }
            if name == "value", case .number(let digits) = value.value {
                texts[name] = digits
                continue
            }
            guard let text = value.text else { throw LineFault("\(name) cannot be \(value.kind)") }
            texts[name] = text
        }
        return texts
    }

    private static func suppression(_ members: [String: String]) throws(LineFault) -> Audiences.Suppression {
        guard let what = members["what"] else { throw LineFault("it does not say what: tag, handle or key") }
        guard SuppressedKind(rawValue: what) != nil else {
            throw LineFault("what is \(what.quoted), and neither tag, handle nor key")
        }
        guard let value = members["value"], !value.isEmpty else { throw LineFault("it has no value") }
        guard !value.utf8.contains(0), members["reason"]?.utf8.contains(0) != true else {
            throw LineFault("it has a NUL character")
        }
        var until: String?
        if let given = members["until"] {
            guard let time = SuppressionTime(given) else {
                throw LineFault("until is \(given.quoted); write 2027-06-01 or 2027-06-01T09:00:00Z")
            }
            until = time.text
        }
        return Audiences.Suppression(what: what, value: value, reason: members["reason"], until: until)
    }
}

/// The end of a suppression in a file: a day, which ends it at midnight UTC before, or a time with its offset. Narrower
/// than what PostgreSQL reads, so that a line that is wrong is found before the transaction.
struct SuppressionTime: Equatable {
    /// What PostgreSQL reads as a timestamptz.
    let text: String

    /// Nil for a form that is not one of these, and for a day or time that does not exist.
    init?(_ given: String) {
        let form =
            #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?))?/#
        guard let parts = given.wholeMatch(of: form)?.output, let year = Int(parts.1), let month = Int(parts.2),
            let day = Int(parts.3), year > 0, (1...12).contains(month)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        guard (1...days).contains(day) else { return nil }
        if let hour = parts.4.flatMap({ Int($0) }), hour > 23 { return nil }
        for part in [parts.5, parts.6] {
            if let number = part.flatMap({ Int($0) }), number > 59 { return nil }
        }
        text = parts.4 == nil ? "\(given)T00:00Z" : given
    }
}
