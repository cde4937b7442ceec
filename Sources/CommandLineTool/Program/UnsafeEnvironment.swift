import Glibc
import Logging
import Synchronization

/// Variables that make OpenSSL and libcurl write down the secrets of a connection, or load code and settings that were
/// never reviewed. A process that inherits one works without it.
package enum UnsafeEnvironment {
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` stay: they add trusted authorities for libpq's `sslrootcert=system`, and a hub's
    /// certificate is checked with the bundle that libcurl was built for.
    package static let names = [
        "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_ENGINES", "OPENSSL_MODULES", "SSLKEYLOGFILE",
    ]

    private static let removed = Mutex<[String]>([])

    /// Removes them. Changing the environment is not thread-safe, and the libraries read it when they start: call this
    /// first in `main`.
    package static func clear() {
        let found = names.filter { getenv($0) != nil }
        for name in found { unsetenv(name) }
        removed.withLock { $0 += found }
    }

    /// Logs once which were removed.
    package static func report(to log: Logger) {
        let names = takeRemoved()
        guard !names.isEmpty else { return }
        log.notice(
            "these variables have no effect: TLS would write down its secrets, or load what nobody looked at",
            metadata: ["variables": "\(names.joined(separator: ", "))"])
    }

    /// The variables that were removed; empty at the second call.
    static func takeRemoved() -> [String] {
        removed.withLock { removed in
            defer { removed = [] }
            return removed
        }
    }
}
