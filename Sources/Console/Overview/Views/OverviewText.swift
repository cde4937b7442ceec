import PushModel

/// Numbers of the first page in words.
enum OverviewText {
    /// `12 messages`, `10,000+ messages`.
    static func messages(_ count: Int64, more: Bool = false) -> String {
        more ? HumanFormat.atLeast(count, "message") : "\(HumanFormat.grouped(count)) message\(count == 1 ? "" : "s")"
    }
}
