import CommandLineTool
import PushModel
import Store

/// A file of recipients, CSV or JSON lines, read a batch at a time. What its first character is decides which.
final class RecipientFile {
    private let path: String
    private let lines: InputLines
    /// Of a CSV file; nil: JSON lines.
    private var header: [String]?
    private var held: InputLines.Line?

    /// - Throws: `Failure` when it cannot be opened, or its header lacks a column.
    init(_ path: String) throws(Failure) {
        self.path = path
        lines = try InputLines(path)
        guard let first = lines.next() else {
            throw lines.failure ?? Failure(InputFile.name(path), because: "it is empty", status: .badInput)
        }
        if first.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            held = first
            return
        }
        do throws(LineFault) {
            header = try Self.header(first.bytes)
        } catch {
            throw failure(first, error)
        }
    }

    /// The next recipients; empty at the end.
    ///
    /// - Throws: `Failure` with the number of the line that is no recipient.
    func next(_ most: Int) throws(Failure) -> [Audiences.Member] {
        var members: [Audiences.Member] = []
        while members.count < most, let line = nextLine() {
            do throws(LineFault) {
                let member: Audiences.Member
                if let header {
                    member = try Self.member(line.bytes, header)
                } else {
                    member = try Self.member(json: line.bytes)
                }
                try Self.check(member)
                members.append(member)
            } catch {
                throw failure(line, error)
            }
        }
        if let failure = lines.failure { throw failure }
        return members
    }

    private func nextLine() -> InputLines.Line? {
        defer { held = nil }
        return held ?? lines.next()
    }

    private func failure(_ line: InputLines.Line, _ fault: LineFault) -> Failure {
        Failure(
            "\(InputFile.name(path)), line \(line.number)", because: fault.description,
            hint: #"A header is key,tag,locale,name; a JSON line is {"key": "1", "tag": "user:1"}."#, status: .badInput)
    }

    // MARK: CSV

    private static func header(_ line: [UInt8]) throws(LineFault) -> [String] {
        let names = try fields(line)
        guard names.contains("key") else { throw LineFault("the header has no column key") }
        guard names.contains("tag") || names.contains("handle") else {
            throw LineFault("the header has neither tag nor handle")
        }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw LineFault("the header has \(twice.quoted) twice")
        }
        return names
    }

    private static func member(_ line: [UInt8], _ header: [String]) throws(LineFault) -> Audiences.Member {
        let values = try fields(line)
        guard values.count == header.count else {
            throw LineFault("it has \(values.count) fields, and the header has \(header.count)")
        }
        var member = Audiences.Member(key: "")
        var own = StringObjectWriter()
        var hasOwn = false
        for (name, value) in zip(header, values) where !value.isEmpty {
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

    /// RFC 4180, but for line breaks within a field.
    static func fields(_ line: [UInt8]) throws(LineFault) -> [String] {
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

    // MARK: JSON lines

    private static func member(json line: [UInt8]) throws(LineFault) -> Audiences.Member {
        var member = Audiences.Member(key: "")
        for (name, value) in try ColumnValue.members(of: line) {
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
            case "properties": member.properties = value.written
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

    // MARK: Both

    private static func check(_ member: Audiences.Member) throws(LineFault) {
        if member.key.isEmpty { throw LineFault("it has no key") }
        guard (member.tag == nil) != (member.handle == nil) else {
            throw LineFault(member.tag == nil ? "it has neither tag nor handle" : "it has both tag and handle")
        }
        if let tag = member.tag, !Tag.isPlain(tag) { throw LineFault("\(tag.quoted) is not a tag") }
        if let locale = member.locale {
            do throws(LocaleError) {
                _ = try LocaleTag(locale)
            } catch {
                throw LineFault("locale \(locale.quoted): \(error)")
            }
        }
        guard let properties = member.properties else { return }
        do throws(StringObjectError) {
            _ = try StringObject(properties)
        } catch {
            throw LineFault("properties, \(error)")
        }
    }
}
