public import Signing

/// Somebody whom the settings name (`console.users.NAME`).
public struct Account: Sendable {
    public var person: Person
    /// nil: cannot sign in here; a proxy may name them.
    public var password: PasswordHash?

    public init(_ person: Person, password: PasswordHash?) {
        self.person = person
        self.password = password
    }
}
