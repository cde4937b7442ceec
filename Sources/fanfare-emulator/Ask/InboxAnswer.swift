import HubEmulator

/// What `GET /_emulator/inbox` and `/_emulator/wait` answer.
struct InboxAnswer: Decodable {
    var arrivals: [InboxPush]
    var next: Int?
    /// A wait that is over.
    var error: String?
    /// Of a wait that is over: pushes that fit and came before.
    var earlier: Int?

    /// One line each: when, for whom, what it says, and its buttons.
    var lines: String { arrivals.map { Self.line($0) }.joined(separator: "\n") }

    static func line(_ arrival: InboxPush) -> String {
        let whose = arrival.device ?? arrival.handle.map { "(handle) \($0)" } ?? ""
        let words = [arrival.push.alert?.title, arrival.push.alert?.body].compactMap { $0 }.filter { !$0.isEmpty }
        let text = words.isEmpty ? arrival.push.payload : words.joined(separator: " · ")
        let buttons = (arrival.push.buttons ?? []).map { "[\($0.title.onOneLine.clipped(to: 40))]" }
        let parts = [
            SendLine.clock(arrival.push.at), arrival.hub.onOneLine.clipped(to: 40), whose.onOneLine.clipped(to: 40),
            text.onOneLine.clipped(to: 160), buttons.joined(separator: " "),
        ]
        return (buttons.isEmpty ? parts.dropLast() : parts[...]).joined(separator: "  ")
    }
}
