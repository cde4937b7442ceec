/// What `fanfare` says to the shell, cron and systemd when it ends (sysexits.h).
///
/// Not called `ExitCode`: ArgumentParser has a type of that name, and the commands see both.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case ok = 0
    /// Some messages failed for good. Said by `drain`, and by `send` and `installation` of what the hub refused.
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
}
