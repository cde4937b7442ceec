/// Words of the command line that have given way to others, as they were typed. Nothing may name them any more.
package enum FormerWords {
    private static let all = [
        "fanfare messages", "fanfare devices", "fanfare tags", "fanfare metrics", "hub set-rate", "campaign doubts",
        "--decide", "fanfare campaign schedule", "pause-schedule", "resume-schedule", "campaign backfill",
    ]

    /// Those that a text has as whole words.
    package static func found(in text: String) -> [String] {
        all.filter { word in
            text.ranges(of: word).contains { range in
                let next = text[range.upperBound...].first
                return next.map { !$0.isLetter && $0 != "_" } ?? true
            }
        }
    }
}
