import CLibpq

/// Whether what goes between us and the database is safe from those in between.
public struct ConnectionSecurity: Sendable, Equatable {
    /// Hosts that are not this machine, as the connection string, its service or the environment names them.
    public let remoteHosts: [String]
    /// libpq's `sslmode`, its default `prefer` included. Only `verify-full` makes sure who the server is.
    public let sslmode: String

    /// Nobody in between, or nobody who could pass for the server.
    public var isSafe: Bool { remoteHosts.isEmpty || sslmode == "verify-full" }

    /// - Throws: `DatabaseError` when libpq does not understand the string.
    public init(url: String) throws(DatabaseError) {
        let known = try Conninfo.effective(url)
        let addresses = known["hostaddr"] ?? known["host"] ?? ""
        remoteHosts = addresses.split(separator: ",").map(String.init).filter { !Self.isHere($0) }
        sslmode = known["sslmode"] ?? "prefer"
    }

    /// A socket's directory, `localhost`, 127.0.0.0/8 or ::1. No host at all is a socket.
    private static func isHere(_ host: String) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "::1"].contains(host.lowercased())
            || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }
}
