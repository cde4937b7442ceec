import Glibc

/// Why a private server cannot be used.
public struct TemporaryServerError: Error, CustomStringConvertible {
    /// To follow "cannot".
    public var doing: String
    public var message: String

    public var description: String { "cannot \(doing): \(message)" }

    /// What the system said about the call that just failed.
    static func system(_ doing: String, _ code: Int32) -> TemporaryServerError {
        TemporaryServerError(doing: doing, message: String(cString: strerror(code)))
    }
}
