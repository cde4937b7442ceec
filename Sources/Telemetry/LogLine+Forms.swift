import Logging

extension LogLine {
    /// The line with its line feed, in the form asked for (`.auto` counts as `.json`), after `<N>` for the journal.
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
