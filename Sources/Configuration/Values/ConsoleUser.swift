import PushModel
import Signing

/// One entry of `console.users` in config.json: what a person may do in the pages of the console.
public struct ConsoleUser: Sendable, Equatable {
    /// Default: nothing.
    public var may: Set<PersonRight> = []
    /// The text of a `PasswordHash`. Default: nil, the person cannot sign in by password.
    public var password: Secret?

    public init(may: Set<PersonRight> = [], password: Secret? = nil) {
        self.may = may
        self.password = password
    }

    /// nil: no password is set. After `Settings.load` never nil where one is.
    public var passwordHash: PasswordHash? { password.flatMap { PasswordHash($0.reveal()) } }
}
