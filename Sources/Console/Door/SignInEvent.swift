import PushModel

/// What happened when somebody tried to sign in, for a log. Never the password.
public struct SignInEvent: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        case signedIn
        /// Nobody has this name and this password.
        case wrong
        /// Too many wrong passwords came from the address: this one was not looked at.
        case tooOften
    }

    public var outcome: Outcome
    /// As it was typed, cut: any text.
    public var name: String
    /// Of the browser, as far as the settings name the proxies in between; nil: not known.
    public var address: String?

    /// Characters of a name that are kept.
    static let longestName = 100

    public init(_ outcome: Outcome, name: String, address: String?) {
        self.outcome = outcome
        self.name = String(name.prefix(Self.longestName))
        self.address = address
    }
}
