import CLibpq

/// The libpq this process runs with.
public enum LibPQ {
    /// Such as `15.18`.
    public static var version: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }

    /// Whether the server at `conninfo` accepts connections now. Blocks; needs no password.
    package static func isReady(_ conninfo: String) -> Bool { PQping(conninfo) == PQPING_OK }
}
