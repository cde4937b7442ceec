import CommandLineTool
import Store

/// Suppressions from a file, CSV or JSON lines.
struct SuppressionFile {
    static let columns = ["what", "value", "reason", "until"]

    private let file: TableFile
    private let now: Double

    /// - Parameters:
    ///   - bad: where the lines go that cannot be one.
    ///   - now: seconds since 1970.
    /// - Throws: `Failure` when it cannot be opened, or its header lacks a column.
    init(_ path: String, _ bad: BadLines, now: Double) throws(Failure) {
        self.now = now
        file = try TableFile(
            path, bad, hint: #"A header is what,value,reason,until; a JSON line is {"what": "key", "value": "42"}."#,
            key: "value"
        ) { names throws(LineFault) in
            for name in ["what", "value"] where !names.contains(name) {
                throw LineFault("the header has no column \(name)")
            }
            if let other = names.first(where: { !Self.columns.contains($0) }) { throw Self.unknown(other) }
        }
    }

    /// The next ones; empty at the end.
    ///
    /// - Throws: `Failure` with the lines that cannot be one.
    func next(_ most: Int) throws(Failure) -> [Audiences.Suppression] {
        try file.next(most) { row, _ throws(LineFault) in
            switch row {
            case .fields(let fields):
                try suppression(Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) }))
            case .members(let members): try suppression(try Self.texts(members))
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

    private func suppression(_ members: [String: String]) throws(LineFault) -> Audiences.Suppression {
        guard let what = members["what"] else { throw LineFault("it does not say what: tag, handle or key") }
        guard let kind = SuppressedKind(rawValue: what) else {
            throw LineFault("what is \(what.quoted), and neither tag, handle nor key")
        }
        guard let value = members["value"], !value.isEmpty else { throw LineFault("it has no value") }
        if let fault = kind.fault(of: value) { throw LineFault(fault) }
        var until: String?
        if let given = members["until"] {
            guard let time = SuppressionTime(given) else {
                throw LineFault("until is \(given.quoted); write 2027-06-01 or 2027-06-01T09:00:00Z")
            }
            guard time.seconds > now else { throw LineFault("until is \(given), and that is past") }
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
    /// Since 1970.
    let seconds: Double

    /// Nil for a form that is not one of these, and for a day or time that does not exist.
    init?(_ given: String) {
        let form =
            #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,6})?)?(?:Z|([+-])(0[0-9]|1[0-4])(?::?([0-5][0-9]))?))?/#
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
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let ahead = (number(parts.8) * 60 + number(parts.9)) * (parts.7 == "-" ? -60 : 60)
        let hours = Self.days(year, month, day) * 24 + number(parts.4)
        seconds = Double((hours * 60 + number(parts.5)) * 60 + number(parts.6) - ahead)
    }

    /// Since 1970, in the Gregorian calendar. Years begin with March, so that the leap day is their last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
    }
}
