import Logging

/// One event, ready to be shown: secrets are out, metadata is flat. Pure.
struct LogLine {
    let time: LogTime
    let level: Logger.Level
    let logger: String
    let message: String
    /// Sorted by name; nested dictionaries joined with dots; no two alike, and none named as a fixed member.
    let fields: [(name: String, value: Value)]

    /// A metadata value, as far as lines tell values apart.
    indirect enum Value {
        case text(String)
        /// Digits, or `true` and `false`: JSON shows it without quotes.
        case bare(String)
        case list([Value])
    }

    init(time: LogTime, level: Logger.Level, logger: String, message: String, metadata: Logger.Metadata) {
        self.time = time
        self.level = level
        self.logger = logger
        self.message = Redaction.masked(message)
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
            let name = Redaction.masked(prefix + key)
            if Redaction.isSecret(name: key) || value.attributes[Sensitivity.self] == .secret {
                flat.append((name, .text(Redaction.mask)))
            } else if case .dictionary(let inner) = value {
                flatten(inner, under: name + ".", into: &flat)
            } else {
                flat.append((name, Self.value(of: value)))
            }
        }
    }

    private static func value(of metadata: Logger.MetadataValue) -> Value {
        if metadata.attributes[Sensitivity.self] == .secret { return .text(Redaction.mask) }
        switch metadata {
        case .string(let text): return .text(Redaction.masked(text))
        case .stringConvertible(let number as any FixedWidthInteger): return .bare("\(number)")
        case .stringConvertible(let number as Double) where number.isFinite: return .bare("\(number)")
        case .stringConvertible(let flag as Bool): return .bare("\(flag)")
        case .stringConvertible(let other): return .text(Redaction.masked(other.description))
        case .array(let values): return .list(values.map(value))
        case .dictionary(let inner):  // only inside of an array
            var flat: [(name: String, value: Value)] = []
            flatten(inner, under: "", into: &flat)
            return .text(
                flat.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value.plain)" }.joined(separator: " "))
        }
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
