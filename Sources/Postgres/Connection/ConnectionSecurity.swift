import CLibpq

/// Whether the connection to the database is safe from anyone on the network between us and the server.
public struct ConnectionSecurity: Sendable, Equatable {
    /// Hosts other than this machine, as the connection string, its service or the environment names them.
    public let remoteHosts: [String]
    /// libpq's `sslmode`, its default `prefer` included. Only `verify-full` makes sure who the server is.
    public let sslmode: String

    /// No network is involved, or the server has to prove who it is.
    public var isSafe: Bool { remoteHosts.isEmpty || sslmode == "verify-full" }

    /// - Throws: `DatabaseError` when libpq does not understand the string.
    public init(url: String) throws(DatabaseError) {
        let known = try Conninfo.effective(url)
        let addresses = known["hostaddr"] ?? known["host"] ?? ""
        remoteHosts = addresses.split(separator: ",").map(String.init).filter { !Self.isLocal($0) }
        sslmode = known["sslmode"] ?? "prefer"
    }

    /// A socket's directory, `localhost`, 127.0.0.0/8 or ::1. Without any host, libpq uses a socket.
    private static func isLocal(_ host: String) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "::1"].contains(host.lowercased())
            || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }
}
