import CLibpq

/// The libpq this process runs with, for people who ask what is installed.
public enum LibPQ {
    /// Such as `15.18`.
    public static var version: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
