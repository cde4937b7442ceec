/// The exit status of `fanfare` for the shell, cron and systemd (sysexits.h).
///
/// Not called `ExitCode`: ArgumentParser has a type of that name, and the commands see both.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case ok = 0
    /// Some messages or changes of devices failed for good. Used by `drain`, and by `send` and `installation` for what
    /// the hub refused.
    case someFailed = 1
    /// A wrong command line (`EX_USAGE`).
    case usage = 64
    /// An input file or expression that cannot be read (`EX_DATAERR`).
    case badInput = 65
    /// The database or a hub was out of reach until the deadline (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// Our own fault (`EX_SOFTWARE`).
    case internalFault = 70
    /// The output cannot be written (`EX_IOERR`).
    case cannotWrite = 74
    /// Another run holds the lock, or the time limit came with work left: try again later (`EX_TEMPFAIL`).
    case tryLater = 75
    /// The database refuses us (`EX_NOPERM`).
    case noPermission = 77
    /// The settings are wrong (`EX_CONFIG`). systemd does not restart after this one.
    case configuration = 78

    /// One sentence for manual pages.
    package var text: String {
        switch self {
        case .ok: "Done."
        case .someFailed:
            "Some messages or changes of devices failed for good, or messages are in doubt; a check found something."
        case .usage: "A wrong command line."
        case .badInput: "An input file, an expression or a row that cannot be read."
        case .unavailable: "The database or a hub was out of reach, or an address cannot be listened on."
        case .internalFault: "A fault of fanfare itself."
        case .cannotWrite: "The output cannot be written."
        case .tryLater: "Work is left, or another run holds the lock: try again later."
        case .noPermission: "The database refuses this role."
        case .configuration: "The settings are wrong, or the schema is not the one this build needs."
        }
    }
}

extension ManualPage.Section {
    /// Every status our programs end with.
    package static let exitStatus = Self("EXIT STATUS", ExitStatus.allCases.map { ("\($0.rawValue)", $0.text) })
}
