import Glibc

/// Reports the state of this process to systemd (sd_notify(3)): one datagram of `KEY=value` lines to `$NOTIFY_SOCKET`.
public struct SystemdNotify: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        /// Started, or reloaded.
        case ready
        /// Shown by `systemctl status`; one line.
        case status(String)
        /// The settings are being read again, since this time of CLOCK_MONOTONIC.
        case reloading(monotonicMicroseconds: Int64)
        case stopping
        /// Still alive. Sent every `watchdogInterval` while work makes progress.
        case watchdog
        /// A request for more seconds before the current timeout ends.
        case extendTimeout(seconds: Int)
    }

    /// Where systemd listens: a path, or a name in the abstract namespace after `@`.
    public let socket: String
    /// Seconds between two `.watchdog`: half of what systemd allows. nil: no watchdog.
    public let watchdogInterval: Double?

    public init(socket: String, watchdogInterval: Double? = nil) {
        self.socket = socket
        self.watchdogInterval = watchdogInterval
    }

    /// Reads `NOTIFY_SOCKET` and `WATCHDOG_USEC`, and removes them so that no child process uses them. Changing the
    /// environment is not thread-safe: call this first in `main`.
    ///
    /// - Returns: nil when systemd does not listen.
    public static func takeFromEnvironment() -> SystemdNotify? {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        let values = names.map { name in getenv(name).map { String(cString: $0) } }
        names.forEach { unsetenv($0) }
        guard let socket = values[0], !socket.isEmpty else { return nil }
        let isOurs = values[2] == nil || values[2] == String(getpid())
        let microseconds = values[1].flatMap(Double.init) ?? 0
        return SystemdNotify(
            socket: socket, watchdogInterval: isOurs && microseconds > 0 ? microseconds / 2_000_000 : nil)
    }

    /// Sends all states in one datagram.
    ///
    /// - Throws: `SystemdNotifyError`: a reason for a log line, not for giving up.
    public func send(_ states: State...) throws(SystemdNotifyError) {
        let text = states.map(\.line).joined(separator: "\n")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemdNotifyError(code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // An abstract name ends where the address ends; the NUL behind a path is not counted either.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count)

        let handle = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard handle >= 0 else { throw SystemdNotifyError(code: errno) }
        defer { close(handle) }
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(handle, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
        guard sent == bytes.count else { throw SystemdNotifyError(code: errno) }
    }
}

extension SystemdNotify.State {
    fileprivate var line: String {
        switch self {
        case .ready: "READY=1"
        // A line feed would begin another variable.
        case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
        case .reloading(let begin): "RELOADING=1\nMONOTONIC_USEC=\(begin)"
        case .stopping: "STOPPING=1"
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let seconds): "EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)"
        }
    }
}

/// Why systemd could not be notified.
public struct SystemdNotifyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// errno.
    public let code: Int32
    public var description: String { "cannot notify systemd: \(String(cString: strerror(code)))" }
}
