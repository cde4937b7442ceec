import Foundation
import Glibc
import Synchronization

/// A Unix socket between a worker and its PostgreSQL server, which can lose answers, delay them, fall silent or be away. Uses
/// blocking threads, two for each connection.
///
/// A descriptor is closed, and shut down from another thread, only under the lock and while it is in `ends`: a moment later
/// its number may belong to another connection.
public final class Proxy: Sendable {
    /// What happens to the answer of a statement.
    public enum Fate: Sendable {
        /// The server has run it, and the connection breaks before the answer arrives.
        case lost
        /// The server has run it, and the answer is kept back until `release`.
        case delayed
    }

    private struct Rule: Sendable {
        var text: [UInt8]
        var fate: Fate
        var times: Int
    }

    private struct State {
        var rules: [Rule] = []
        var lost = 0
        var delayed = 0
        var isAway = false
        var isSilent = false
        var ends: Set<Int32>

        mutating func close(_ end: Int32) {
            ends.remove(end)
            Glibc.close(end)
        }

        func shutDown(_ wanted: Set<Int32>) {
            for end in ends.intersection(wanted) { shutdown(end, Int32(SHUT_RDWR)) }
        }
    }

    /// For `host=`.
    public let directory: String
    private let server: String
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameter conninfo: of the server; `host=` names its directory.
    public init(to conninfo: String) throws {
        guard let host = conninfo.firstMatch(of: /host='([^']+)'/) else { throw POSIXError(.EINVAL) }
        server = "\(host.1)/.s.PGSQL.5432"
        directory = "/tmp/proxy-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        guard Self.with("\(directory)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            close(listener)
            throw POSIXError(.EADDRINUSE)
        }
        state = Mutex(State(ends: [listener]))
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// The same connection, but through this proxy. Of two values for one keyword, libpq takes the last.
    public func conninfo(_ direct: String) -> String { direct + " host='\(directory)'" }

    /// A connection through the proxy that the server has answered (SSLRequest). The caller closes it.
    public func connected() throws -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var answer: UInt8 = 0
        guard Self.with("\(directory)/.s.PGSQL.5432", { connect(client, $0, $1) }) == 0,
            Self.send([0, 0, 0, 8, 4, 210, 22, 47], to: client), recv(client, &answer, 1, 0) == 1
        else {
            close(client)
            throw POSIXError(.ECONNREFUSED)
        }
        return client
    }

    /// Closes everything.
    public func end() {
        state.withLock { state in
            state.isAway = true
            state.shutDown(state.ends)  // each is closed by the thread that uses it
        }
        try? FileManager.default.removeItem(atPath: directory)  // a leftover in /tmp does no harm
    }

    // MARK: Faults

    /// Applies to the next statements that contain `text`.
    public func next(_ times: Int = 1, naming text: String, _ fate: Fate) {
        state.withLock { $0.rules.append(Rule(text: Array(text.utf8), fate: fate, times: times)) }
    }

    public var lost: Int { state.withLock { $0.lost } }
    /// Answers that are kept back now.
    public var delayed: Int { state.withLock { $0.delayed } }
    /// Sends the delayed answers, and delays no more.
    public func release() {
        state.withLock { state in
            state.delayed = 0
            state.rules.removeAll { $0.fate == .delayed }
        }
    }

    /// While true, every connection breaks and no new one can be made.
    public var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set {
            state.withLock { state in
                state.isAway = newValue
                if newValue { state.shutDown(state.ends.subtracting([listener])) }
            }
        }
    }

    /// While true, nothing reaches the server, and clients do not notice.
    public var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    // MARK: Forwarding

    private func acceptConnections() {
        while case let client = accept(listener, nil, nil), client >= 0 {
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            let link = Link(client: client, upstream: upstream)
            let isUp = Self.with(server, { connect(upstream, $0, $1) }) == 0
            let isAccepted = state.withLock { state in
                guard isUp, !state.isAway else { return false }
                state.ends.formUnion([client, upstream])
                return true
            }
            guard isAccepted else {
                close(client)
                close(upstream)
                continue
            }
            Thread.detachNewThread { [self] in forwardRequests(link) }
            Thread.detachNewThread { [self] in forwardAnswers(link) }
        }
        state.withLock { $0.close(listener) }
    }

    private final class Link: Sendable {
        let client: Int32
        let upstream: Int32
        let fate = Mutex<Fate?>(nil)
        private let users = Mutex(2)

        init(client: Int32, upstream: Int32) { (self.client, self.upstream) = (client, upstream) }

        /// - Returns: whether both directions have ended.
        func leave() -> Bool {
            users.withLock { users in
                users -= 1
                return users == 0
            }
        }
    }

    private func forwardRequests(_ link: Link) {
        while let bytes = Self.receive(link.client) {
            let fate: Fate? = state.withLock { state in
                guard let index = state.rules.firstIndex(where: { Self.contains($0.text, in: bytes) }) else {
                    return nil
                }
                state.rules[index].times -= 1
                defer { if state.rules[index].times <= 0 { state.rules.remove(at: index) } }
                return state.rules[index].fate
            }
            if let fate { link.fate.withLock { $0 = fate } }
            while isSilent, !isAway { usleep(1000) }
            guard Self.send(bytes, to: link.upstream) else { break }
        }
        finish(link)
    }

    private func forwardAnswers(_ link: Link) {
        var held: [UInt8] = []
        while let bytes = Self.receive(link.upstream) {
            guard let fate = link.fate.withLock({ $0 }) else {
                guard Self.send(bytes, to: link.client) else { break }
                continue
            }
            held += bytes
            guard Self.isReady(held) else { continue }  // the server has not finished it yet
            link.fate.withLock { $0 = nil }
            if case .lost = fate {
                state.withLock { $0.lost += 1 }
                break
            }
            state.withLock { $0.delayed += 1 }
            while delayed > 0, !isAway { usleep(1000) }
            guard Self.send(held, to: link.client) else { break }
            held = []
        }
        finish(link)
    }

    private func finish(_ link: Link) {
        state.withLock { state in
            state.shutDown([link.client, link.upstream])
            guard link.leave() else { return }
            state.close(link.client)
            state.close(link.upstream)
        }
    }

    /// Ends with ReadyForQuery.
    private static func isReady(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 6 && Array(bytes.suffix(6).prefix(5)) == [UInt8(ascii: "Z"), 0, 0, 0, 5]
    }

    private static func contains(_ text: [UInt8], in bytes: [UInt8]) -> Bool {
        Data(bytes).firstRange(of: Data(text)) != nil
    }

    private static func receive(_ handle: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(handle, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func send(_ bytes: [UInt8], to handle: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
