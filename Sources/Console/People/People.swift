import Signing

/// Who may use a console, from its settings.
public struct People: Sendable {
    private let users: [String: Account]

    /// - Parameter users: with names of their own; of two with one name the first counts.
    public init(_ users: [Account]) {
        self.users = Dictionary(users.map { ($0.person.name, $0) }) { first, _ in first }
    }

    /// - Returns: nil: the settings have no such name.
    subscript(name: String) -> Account? { users[name] }

    /// Whether name and password are somebody's. Takes as long for a name that nobody has: a hash of somebody else is
    /// computed then, and its answer does not count. Blocks while it computes.
    func user(_ name: String, password: String) -> Account? {
        let user = users[name]
        guard let hash = user?.password ?? stranger else { return nil }
        let matches = hash.matches(password)
        return matches && user?.password != nil ? user : nil
    }

    /// Of the first person with a password.
    private var stranger: PasswordHash? {
        users.values.filter { $0.password != nil }.min { $0.person.name < $1.person.name }?.password
    }
}
