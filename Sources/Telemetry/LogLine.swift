import Logging
import Signing

/// One event, ready to be written: without secrets, with flat metadata. Pure.
struct LogLine {
    let time: LogTime
    let level: Logger.Level
    let logger: String
    let message: String
    /// Sorted by name. Nested names are joined by dots; every name is unique and differs from the fixed members.
    let fields: [(name: String, value: Value)]

    /// A metadata value, in the kinds that lines distinguish.
    indirect enum Value {
        case text(String)
        /// Digits, `true` or `false`: without quotes in JSON.
        case bare(String)
        case list([Value])
    }

    init(time: LogTime, level: Logger.Level, logger: String, message: String, metadata: Logger.Metadata) {
        self.time = time
        self.level = level
        self.logger = logger
        self.message = SecretMask.masked(message)
        var flat: [(name: String, value: Value)] = []
        Self.flatten(metadata, under: "", into: &flat)
        flat.sort { $0.name < $1.name }
        var taken: Set = ["ts", "level", "msg", "logger"]
        for index in flat.indices {
            while !taken.insert(flat[index].name).inserted { flat[index].name += "_" }
        }
        fields = flat
    }

    private static func flatten(
        _ metadata: Logger.Metadata, under prefix: String, into flat: inout [(name: String, value: Value)]
    ) {
        for (key, value) in metadata {
            let name = SecretMask.masked(prefix + key)
            if SecretMask.isSecret(name: key) || value.attributes[Sensitivity.self] == .secret {
                flat.append((name, .text(SecretMask.mask)))
            } else if case .dictionary(let inner) = value {
                flatten(inner, under: name + ".", into: &flat)
            } else {
                flat.append((name, Self.value(of: value)))
            }
        }
    }

    private static func value(of metadata: Logger.MetadataValue) -> Value {
        if metadata.attributes[Sensitivity.self] == .secret { return .text(SecretMask.mask) }
        switch metadata {
        case .string(let text): return .text(SecretMask.masked(text))
        case .stringConvertible(let number as any FixedWidthInteger): return .bare("\(number)")
        case .stringConvertible(let number as Double) where number.isFinite: return .bare("\(rounded(number))")
        case .stringConvertible(let number as Float) where number.isFinite:
            return .bare("\(rounded(Double(number)))")
        case .stringConvertible(let flag as Bool): return .bare("\(flag)")
        case .stringConvertible(let other): return .text(SecretMask.masked(other.description))
        case .array(let values): return .list(values.map(value))
        case .dictionary(let inner):  // only inside an array
            var flat: [(name: String, value: Value)] = []
            flatten(inner, under: "", into: &flat)
            return .text(
                flat.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value.plain)" }.joined(separator: " "))
        }
    }
}

extension LogLine {
    /// To thousandths: what a log line measures is not more exact. Beyond a billion as it is.
    private static func rounded(_ number: Double) -> Double {
        abs(number) < 1e9 ? (number * 1000).rounded() / 1000 : number
    }
}

extension LogLine.Value {
    /// Without quotes and escapes.
    var plain: String {
        switch self {
        case .text(let text), .bare(let text): text
        case .list(let values): "[" + values.map(\.plain).joined(separator: ", ") + "]"
        }
    }
}

extension LogLine {
    /// The line with its line feed, in this format (`.auto` counts as `.json`), after `<N>` for the journal.
    func bytes(_ format: LogFormat, forJournal: Bool) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        if forJournal {
            line.append(contentsOf: [UInt8(ascii: "<"), UInt8(ascii: "0") + level.priority, UInt8(ascii: ">")])
        }
        if format == .text { appendText(to: &line) } else { appendJSON(to: &line) }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private func appendJSON(to line: inout [UInt8]) {
        line.append(contentsOf: #"{"ts":""#.utf8)
        time.append(to: &line)
        line.append(contentsOf: #"","level":""#.utf8)
        line.append(contentsOf: level.rawValue.utf8)
        line.append(contentsOf: #"","msg":"#.utf8)
        LogEscaping.appendQuoted(message, to: &line)
        line.append(contentsOf: #","logger":"#.utf8)
        LogEscaping.appendQuoted(logger, to: &line)
        for (name, value) in fields {
            line.append(UInt8(ascii: ","))
            LogEscaping.appendQuoted(name, to: &line)
            line.append(UInt8(ascii: ":"))
            value.appendJSON(to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }

    /// `2026-11-21T16:37:00.250Z warning lane: cannot claim messages hub=news error="connection refused"`
    private func appendText(to line: inout [UInt8]) {
        time.append(to: &line)
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: level.rawValue.utf8)
        line.append(UInt8(ascii: " "))
        LogEscaping.append(logger, to: &line)
        line.append(contentsOf: ": ".utf8)
        LogEscaping.append(message, to: &line)
        for (name, value) in fields {
            line.append(UInt8(ascii: " "))
            LogEscaping.append(name, to: &line)
            line.append(UInt8(ascii: "="))
            let text = value.plain
            if text.isEmpty || text.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\"") }) {
                LogEscaping.appendQuoted(text, to: &line)
            } else {
                LogEscaping.append(text, to: &line)
            }
        }
    }
}

extension LogLine.Value {
    fileprivate func appendJSON(to line: inout [UInt8]) {
        switch self {
        case .text(let text): LogEscaping.appendQuoted(text, to: &line)
        case .bare(let text): line.append(contentsOf: text.utf8)
        case .list(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                value.appendJSON(to: &line)
            }
            line.append(UInt8(ascii: "]"))
        }
    }
}

extension Logger.Level {
    /// The syslog priority (sd-daemon(3)): 7 debug to 2 critical.
    fileprivate var priority: UInt8 {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// Marks a metadata value that must not be shown: `"\(token, attributes: [Sensitivity.secret])"`.
public enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute {
    /// The value is written as `•••`.
    case secret
}
