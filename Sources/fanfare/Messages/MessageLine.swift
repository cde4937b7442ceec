import CommandLineTool
import PushModel
import Store

/// One line of a file of messages: an object with the column names of `push.message`.
struct MessageLine {
    /// From 1.
    let number: Int
    let message: NewMessage

    /// How many rows it becomes.
    ///
    /// - Throws: never for a line that was read from a file.
    func rows() throws(LineFault) -> Int64 {
        guard let translations = message.translations else { return 1 }
        let texts = try ColumnValue.members(of: Array(translations.utf8)).count
        return Int64(texts + (message.content == nil ? 0 : 1))
    }

    /// All lines of a file; blank ones are passed over.
    ///
    /// - Throws: `Failure` with the number of the first bad line.
    static func read(from path: String) throws(Failure) -> [MessageLine] {
        try next(.max, of: InputLines(path), path) ?? []
    }

    /// The next lines of a file; blank ones are passed over.
    ///
    /// - Parameter most: how many.
    /// - Returns: nil when there are no more.
    /// - Throws: `Failure` with the number of the first bad line.
    static func next(_ most: Int, of lines: InputLines, _ path: String) throws(Failure) -> [MessageLine]? {
        var messages: [MessageLine] = []
        while messages.count < most, let line = lines.next() {
            do throws(LineFault) {
                messages.append(MessageLine(number: line.number, message: try message(line.bytes)))
            } catch {
                let hint = #"A line looks like {"hub": "news", "tag": "World", "content": {"message": "Hello"}}."#
                throw Failure([error.complaint(of: path, line: line.number, hint: hint)], status: .badInput)
            }
        }
        if let failure = lines.failure { throw failure }
        return messages.isEmpty ? nil : messages
    }

    private static func message(_ line: [UInt8]) throws(LineFault) -> NewMessage {
        var message = NewMessage(hub: "", content: nil)
        var seen: Set<String> = []
        for (name, value) in try ColumnValue.members(of: line) {
            guard seen.insert(name).inserted else { throw LineFault("\(name) stands twice") }
            guard let column = columns[name] else {
                let known = columns.keys.sorted().joined(separator: ", ")
                throw LineFault("\(name) is not a column that a message can set; those are \(known)")
            }
            if case .null = value.value { continue }
            guard try column(&message, value) else { throw LineFault("\(name) cannot be \(value.kind)") }
        }
        if message.hub.isEmpty { throw LineFault("hub is missing") }
        if message.content == nil && message.translations == nil { throw LineFault("content is missing") }
        guard (message.format ?? "template") == "template" else {
            if let format = message.format.flatMap(ContentFormat.init(rawValue:)) {
                message.content = message.content.map(format.json)
            }
            return message
        }
        if let content = message.content { try check(content, "content") }
        if let translations = message.translations {
            for (locale, value) in try ColumnValue.members(of: Array(translations.utf8)) {
                try check(value.written, "translations.\(locale)")
            }
        }
        return message
    }

    private static func check(_ content: String, _ name: String) throws(LineFault) {
        do throws(StringObjectError) {
            _ = try StringObject(content)
        } catch {
            throw LineFault("\(name), \(error)")
        }
    }

    private typealias Column = @Sendable (inout NewMessage, ColumnValue) throws(LineFault) -> Bool

    /// How each column is taken from its value; false: not from a value of that kind.
    private static let columns: [String: Column] = [
        "hub": { message, value in
            message.hub = value.text ?? ""
            return value.text != nil
        },
        "content": { message, value in
            message.content = value.json
            return value.json != nil
        },
        "translations": { message, value in
            guard case .object(let members) = value.value, !members.isEmpty else { return false }
            message.translations = value.written
            return true
        },
        "tag": text(\.tag), "locale": text(\.locale), "content_key": text(\.contentKey),
        "dedupe_key": text(\.dedupeKey), "format": text(\.format), "handles": list(\.handles),
        "send_at": time(\.sendAt, "send_at"), "expires_at": time(\.expiresAt, "expires_at"),
        "on_doubt": text(\.onDoubt), "campaign": text(\.campaign), "run": text(\.run), "tenant": text(\.tenant),
        "traceparent": text(\.traceparent), "broadcast": flag(\.broadcast), "pack": flag(\.pack),
        "replace": flag(\.replace),
        "headers": json(\.headers), "meta": json(\.meta), "after_device": text(\.afterDevice),
        "after": { message, value throws(LineFault) in
            guard case .number(let digits) = value.value else { return false }
            message.after = Int64(digits)
            guard message.after != nil else { throw LineFault("after is the id of a message") }
            return true
        },
        "after_at_most": { message, value in
            // As --after-at-most, else as PostgreSQL reads it.
            guard let text = value.text else { return false }
            message.afterAtMost = DurationArgument(argument: text).map { "\($0.seconds) s" } ?? text
            return true
        },
        "priority": { message, value throws(LineFault) in
            switch value.value {
            case .number(let digits): message.priority = Int16(digits)
            case .string(let word): message.priority = Priority(argument: word)?.rawValue
            default: return false
            }
            guard message.priority != nil else { throw LineFault("priority is 0 urgent, 1 normal or 2 bulk") }
            return true
        },
    ]

    private static func text(_ field: WritableKeyPath<NewMessage, String?> & Sendable) -> Column {
        { message, value in
            message[keyPath: field] = value.text
            return value.text != nil
        }
    }

    private static func list(_ field: WritableKeyPath<NewMessage, [String]?> & Sendable) -> Column {
        { message, value in
            message[keyPath: field] = value.texts
            return value.texts != nil
        }
    }

    /// As of `--at`; a number is seconds since 1970.
    private static func time(_ field: WritableKeyPath<NewMessage, String?> & Sendable, _ name: String) -> Column {
        { message, value throws(LineFault) in
            let given: String
            switch value.value {
            case .string(let text), .number(let text): given = text
            default: return false
            }
            do throws(Failure) {
                message[keyPath: field] = try InstantArgument(given, for: name).text
            } catch {
                throw LineFault("\(name), \(error.complaints[0].why)")
            }
            return true
        }
    }

    private static func flag(_ field: WritableKeyPath<NewMessage, Bool?> & Sendable) -> Column {
        { message, value in
            guard case .bool(let flag) = value.value else { return false }
            message[keyPath: field] = flag
            return true
        }
    }

    /// An object as it was written, or a text that holds one.
    private static func json(_ field: WritableKeyPath<NewMessage, String?> & Sendable) -> Column {
        { message, value in
            message[keyPath: field] = value.json
            return value.json != nil
        }
    }
}
