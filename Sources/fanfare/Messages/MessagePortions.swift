import CommandLineTool
import Store

/// The lines of a file of messages, in portions that one statement takes. Lines that follow each other with the same target and a
/// locale stay together, within bounds: they may be translations of one content.
struct MessagePortions {
    static let usualLines = 5_000
    /// Of contents: a portion is held in memory several times over.
    private static let usualBytes = 4_000_000
    /// How much longer a portion may become for the sake of translations: a text of 64 kB in 341 languages is 22 MB.
    private static let most = (times: 2, bytes: 24_000_000)

    private let file: InputLines
    private let path: String
    private let lines: Int
    private var ahead: MessageLine?

    /// - Parameter lines: of a portion, as a rule.
    /// - Throws: `Failure` when the file cannot be opened.
    init(_ path: String, lines: Int = usualLines) throws(Failure) {
        file = try InputLines(path)
        self.path = path
        self.lines = lines
    }

    /// - Returns: nil when there are no more.
    /// - Throws: `Failure` with the number of a line that cannot be read.
    mutating func next() throws(Failure) -> [MessageLine]? {
        var portion: [MessageLine] = []
        var bytes = 0
        while let line = try nextLine() {
            if let last = portion.last, portion.count >= lines || bytes >= Self.usualBytes,
                portion.count >= Self.most.times * lines || bytes >= Self.most.bytes || !line.mayTranslate(last)
            {
                ahead = line
                break
            }
            portion.append(line)
            bytes += line.bytes
        }
        return portion.isEmpty ? nil : portion
    }

    private mutating func nextLine() throws(Failure) -> MessageLine? {
        if let line = ahead {
            ahead = nil
            return line
        }
        return try MessageLine.next(1, of: file, path)?.first
    }
}

extension MessageLine {
    fileprivate var bytes: Int { (message.content?.utf8.count ?? 0) + (message.translations?.utf8.count ?? 0) }

    fileprivate func mayTranslate(_ other: MessageLine) -> Bool {
        message.locale != nil && message.hub == other.message.hub && message.tag == other.message.tag
    }
}
