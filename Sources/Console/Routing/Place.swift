/// A place in the navigation.
enum Place: String, Sendable, CaseIterable {
    case overview, messages, failures, campaigns, devices, audit, about

    /// As the navigation has it.
    var name: String { self == .overview ? "Overview" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// The segments of its address.
    var path: [String] { self == .overview ? [] : [rawValue] }
}
