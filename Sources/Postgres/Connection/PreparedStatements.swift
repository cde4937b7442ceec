/// The statements one session has prepared, by their text and the types of their parameters.
///
/// Their names are unique on a server: behind a pooler, a name that another process uses too could lead to that
/// process's statement.
struct PreparedStatements {
    struct Key: Hashable {
        let text: String
        let types: [UInt32]
    }

    /// A session prepares no more than these: beyond, some caller builds statements from raw pieces.
    static let limit = 256

    private let prefix = "fanfare_" + String(UInt64.random(in: 0...UInt64.max), radix: 16) + "_"
    private var made = 0
    private var names: [Key: String] = [:]

    subscript(key: Key) -> String? { names[key] }

    var isFull: Bool { names.count >= Self.limit }

    /// - Returns: the name that it has, or a new one under which nothing is prepared yet.
    mutating func name(for key: Key) -> (name: String, isNew: Bool) {
        if let name = names[key] { return (name, false) }
        made += 1
        return (prefix + String(made), true)
    }

    mutating func remember(_ name: String, for key: Key) { names[key] = name }

    mutating func forget(_ key: Key) { names[key] = nil }

    mutating func forgetAll() { names = [:] }
}
