/// A page of the journal, as `GET /_emulator/journal` answers it.
public struct JournalPage: Sendable, Equatable, Codable {
    /// Oldest first.
    public var entries: [JournalEntry]
    /// What to ask for as `since` next; nil: this was the last page for now.
    public var next: Int?
}
