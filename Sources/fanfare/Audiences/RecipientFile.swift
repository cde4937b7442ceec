import CommandLineTool
import PushModel
import Store

/// Recipients from a file, CSV or JSON lines.
struct RecipientFile {
    private let file: TableFile
    private let keys = FirstLines()
    private let handles = FirstLines()

    /// - Parameter bad: where the lines go that are no recipients.
    /// - Throws: `Failure` when it cannot be opened, or its header lacks a column.
    init(_ path: String, _ bad: BadLines) throws(Failure) {
        file = try TableFile(
            path, bad, hint: #"A header is key,tag,locale,name; a JSON line is {"key": "1", "tag": "user:1"}."#,
            key: "key"
        ) { names throws(LineFault) in
            guard names.contains("key") else { throw LineFault("the header has no column key") }
            guard names.contains("tag") || names.contains("handle") else {
                throw LineFault("the header has neither tag nor handle")
            }
        }
    }

    /// The next recipients; empty at the end.
    ///
    /// - Throws: `Failure` with the lines that are no recipients.
    func next(_ most: Int) throws(Failure) -> [Audiences.Member] {
        try file.next(most) { row, line throws(LineFault) in
            let member =
                switch row {
                case .fields(let fields): Self.member(fields)
                case .members(let members): try Self.member(members)
                }
            try Self.check(member)
            if let first = keys.claim(member.key, line: line) {
                throw LineFault("the key \(member.key.quoted) stands in line \(first) already")
            }
            if let handle = member.handle, let first = handles.claim(handle, line: line) {
                throw LineFault("its handle stands in line \(first) already, and would be notified twice")
            }
            return member
        }
    }

    /// Other columns than ours are properties.
    private static func member(_ fields: [(name: String, value: String)]) -> Audiences.Member {
        var member = Audiences.Member(key: "")
        var own = StringObjectWriter()
        var hasOwn = false
        for (name, value) in fields {
            switch name {
            case "key": member.key = value
            case "tag": member.tag = value
            case "handle": member.handle = value
            case "locale": member.locale = value
            case "time_zone": member.timeZone = value
            default:
                own.append(name, value)
                hasOwn = true
            }
        }
        if hasOwn { member.properties = String(decoding: own.finish(), as: UTF8.self) }
        return member
    }

    private static func member(
        _ members: [(name: String, value: ColumnValue)]
    ) throws(LineFault) -> Audiences.Member {
        var member = Audiences.Member(key: "")
        for (name, value) in members {
            if case .null = value.value { continue }
            switch name {
            case "key":
                if case .number(let digits) = value.value {
                    member.key = digits
                } else {
                    member.key = try text(value, name)
                }
            case "tag": member.tag = try text(value, name)
            case "handle": member.handle = try text(value, name)
            case "locale": member.locale = try text(value, name)
            case "time_zone": member.timeZone = try text(value, name)
            case "properties":
                guard case .object = value.value else { throw LineFault("\(name) cannot be \(value.kind)") }
                member.properties = value.written
            default:
                throw LineFault(
                    "\(name) is not known; a recipient has key, tag, handle, locale, time_zone and properties")
            }
        }
        return member
    }

    private static func text(_ value: ColumnValue, _ name: String) throws(LineFault) -> String {
        guard let text = value.text else { throw LineFault("\(name) cannot be \(value.kind)") }
        return text
    }

    private static func check(_ member: Audiences.Member) throws(LineFault) {
        if member.key.isEmpty { throw LineFault("it has no key") }
        let bytes = member.key.utf8.count
        guard bytes <= 1000 else { throw LineFault("its key has \(bytes) bytes, 1,000 are allowed") }
        guard (member.tag == nil) != (member.handle == nil) else {
            throw LineFault(member.tag == nil ? "it has neither tag nor handle" : "it has both tag and handle")
        }
        if let tag = member.tag, !Tag.isPlain(tag) { throw LineFault("\(tag.quoted) is not a tag") }
        if let handle = member.handle, !Target.isHandle(handle) {
            throw LineFault(
                "its handle is not valid: 1 to \(Target.handleLengthLimit) visible ASCII characters, no spaces")
        }
        if let zone = member.timeZone, zone.utf8.count > 100 {
            throw LineFault("time_zone has \(zone.utf8.count) bytes, 100 are allowed")
        }
        if let locale = member.locale {
            do throws(LocaleError) {
                _ = try LocaleTag(locale)
            } catch {
                throw LineFault("locale \(locale.quoted): \(error)")
            }
        }
    }
}
