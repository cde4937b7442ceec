/// Recipients of a campaign on one hub that are alike to the planner, without anything of theirs: one row of
/// `push.stand_ins_of_campaign`.
public struct StandIn: Sendable, Hashable {
    /// What a property of a recipient is like, with which the texts are filled.
    public struct Value: Sendable, Hashable {
        public enum Kind: String, Sendable, CaseIterable {
            case array, object
            /// It is invisible.
            case blank
            case digits
            /// Printable ASCII characters.
            case ascii
            case text
            /// Text with a character that XML cannot carry.
            case control
        }

        public var kind: Kind
        /// Bytes as it stands in JSON, without the quotation marks.
        public var written: Int
        /// Bytes of what is shown.
        public var bytes: Int
        /// Bytes that XML adds where it is an attribute: 4 for `&`, 3 for `<`. Of a blank value they do not count.
        public var escapes: Int

        public init(_ kind: Kind, written: Int = 0, bytes: Int? = nil, escapes: Int = 0) {
            (self.kind, self.written, self.escapes) = (kind, written, escapes)
            self.bytes = bytes ?? written
        }
    }

    public enum Aim: Sendable, Hashable {
        /// An expression with `t` for each tag.
        case tag(String)
        case handle
        case broadcast
    }

    /// What becomes of them before anything is planned.
    public enum Fate: Sendable, Hashable {
        /// A message is made for the planner.
        case planned(Aim)
        /// No message is made: `suppressed`, `capped` or `double_key`.
        case leftOut(String)
        /// The message is refused where it is made.
        case refused(String)
    }

    public var fate: Fate
    public var recipients: Int64
    /// The language that the rules of a run choose; nil: they have none, or get what is for all.
    public var locale: String?
    /// Whether it is too late for them.
    public var isLate: Bool
    /// By the name in texts, in lower case; the recipients lack every other property.
    public var values: [String: Value]
    /// Equal for stand-ins who read the same values, and another number for each that does not; 0: nobody is planned.
    public var twin: Int64
    /// The same for their tag, expression or handle.
    public var targetTwin: Int64

    public init(
        _ fate: Fate, recipients: Int64 = 1, locale: String? = nil, isLate: Bool = false, values: [String: Value] = [:],
        twin: Int64 = 0, targetTwin: Int64 = 0
    ) {
        (self.fate, self.recipients, self.locale) = (fate, recipients, locale)
        (self.isLate, self.values) = (isLate, values)
        (self.twin, self.targetTwin) = (twin, targetTwin)
    }

    /// The same recipients, with those as one that differ in nothing but who they are. In the order given.
    public static func alike(_ standIns: [StandIn]) -> [StandIn] {
        var places: [StandIn: Int] = [:]
        var alike: [StandIn] = []
        for standIn in standIns {
            var key = standIn
            (key.recipients, key.twin, key.targetTwin) = (0, 0, 0)
            if let place = places[key] {
                alike[place].recipients += standIn.recipients
            } else {
                places[key] = alike.count
                alike.append(key)
                alike[alike.count - 1].recipients = standIn.recipients
            }
        }
        return alike
    }
}

extension StandIn {
    /// The message that stands in for theirs.
    func message(to aim: Aim, of content: RunContent) -> Message {
        let target: Target =
            switch aim {
            case .tag(let tag): .tag(tag)
            case .handle: .handles([String(repeating: "x", count: 64)])
            case .broadcast: .broadcast
            }
        return message(1, to: target, showing: values.mapValues(\.json), of: content)
    }

    /// - Parameter shown: JSON by property.
    func message(_ id: Int64, to target: Target, showing shown: [String: String], of content: RunContent) -> Message {
        let members = shown.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return Message(
            id: id, target: target, locale: locale, content: "{\(members.joined(separator: ","))}",
            format: content.format, expiresAt: isLate ? -1 : .infinity, stream: content.id)
    }
}

extension StandIn.Value {
    /// A JSON value of the same kind and size.
    var json: String {
        switch kind {
        case .array: "[]"
        case .object: "{}"
        case .digits: "\"\(String(repeating: "1", count: written))\""
        case .blank, .ascii, .text, .control: "\"\(text)\""
        }
    }

    /// A character that XML writes with more bytes, in the three forms of JSON.
    private struct Special {
        var plain: String
        var short: String?
        var code: String
    }

    /// As few special characters as have these `escapes`.
    private var specials: [Special] {
        guard kind != .blank else { return [] }
        let hasControls = kind == .text || kind == .control
        let three = Special(plain: "<", short: hasControls ? #"\t"# : nil, code: #"\u003c"#)
        let four = Special(plain: "&", short: hasControls ? #"\n"# : nil, code: #"\u0026"#)
        let five = Special(plain: "'", short: #"\""#, code: #"\u0027"#)
        let rest: [Special] =
            switch escapes % 5 {
            case 1 where escapes > 5: [three, three]
            case 2 where escapes > 5: [three, four]
            case 3: [three]
            case 4: [four]
            default: []
            }
        let fives = escapes / 5 - (rest.count > 1 ? 1 : 0)
        return rest + Array(repeating: five, count: max(0, fives))
    }

    /// Escapes make up for the bytes that are written and not shown.
    private var text: String {
        var escaped = written - bytes
        var shown = bytes
        var text = ""
        func add(_ piece: String, bytes: Int) {
            text += piece
            escaped -= piece.utf8.count - bytes
            shown -= bytes
        }
        func fits(_ more: Int, _ bytes: Int) -> Bool { escaped >= more && shown >= bytes }
        if kind == .control { fits(5, 1) ? add(#"\u0001"#, bytes: 1) : add("\u{FFFE}", bytes: 3) }
        for special in specials {
            let short = fits(1, 1) ? special.short : nil
            add(fits(5, 1) ? special.code : short ?? special.plain, bytes: 1)
        }
        if kind == .text {
            if escaped < 1, shown > 1 { add("é", bytes: 2) }
            while fits(4, 2) { add(#"\u00e9"#, bytes: 2) }
            if text.isEmpty, fits(5, 1) { add(#"\u007f"#, bytes: 1) }
            if text.isEmpty, fits(1, 1) { add(#"\n"#, bytes: 1) }
        }
        while fits(5, 1) { add(kind == .blank ? #"\u0020"# : #"\u0078"#, bytes: 1) }
        while fits(1, 1) { add(kind == .blank ? #"\t"# : #"\/"#, bytes: 1) }
        // Whatever it is, it has the length that is written: that is what a hub counts.
        let filler = kind == .blank ? " " : "x"
        return text + String(repeating: filler, count: max(0, written - text.utf8.count))
    }
}
