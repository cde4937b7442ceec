import Files
import Glibc
import Postgres

/// The directory of one private server: data, socket and log. It is removed with the server.
///
/// Its file `owner` is locked for as long as our process lives. A killed process leaves the directory behind with a
/// free lock, and the next process that makes a directory sweeps it away.
struct DataDirectory: Sendable {
    let path: String
    private let lock: Int32

    private static let name = "fanfare-pg-"
    private static let doing = "make a directory for a private PostgreSQL"

    /// - Parameter base: an existing directory with a short path.
    init(under base: String) throws(TemporaryServerError) {
        Self.sweep(base)
        // sockaddr_un has 108 bytes, the last is 0.
        let socket = "\(base)/\(Self.name)XXXXXX/.s.PGSQL.5432"
        guard socket.utf8.count <= 107 else {
            throw TemporaryServerError(
                doing: Self.doing, message: "the path of its socket would be longer than 107 bytes")
        }
        var template = Array("\(base)/\(Self.name)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(Self.doing, errno) }  // 0700
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Locked before it gets its name, so that a sweep never finds a new `owner` unlocked.
        lock = open("\(path)/owner.new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let isLocked = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0
        guard isLocked, rename("\(path)/owner.new", "\(path)/owner") == 0 else {
            let code = errno
            remove()
            throw .system(Self.doing, code)
        }
        guard geteuid() == 0 else { return }
        guard let postgres = getpwnam("postgres") else {
            remove()
            throw TemporaryServerError(
                doing: Self.doing,
                message: "PostgreSQL does not run as root and there is no user postgres: apt-get install postgresql")
        }
        guard chown(path, postgres.pointee.pw_uid, postgres.pointee.pw_gid) == 0 else {
            let code = errno
            remove()
            throw .system(Self.doing, code)
        }
    }

    func remove() {
        Self.remove(path)
        if lock >= 0 { close(lock) }
    }

    private static func remove(_ path: String) {
        // By a process that is not root, so that no link in it can do harm. What cannot be removed stays for the next
        // sweep.
        _ = try? ChildProcess(["rm", "-rf", "--", path], output: "/dev/null").reap()
        unlink("\(path)/owner")
        rmdir(path)
    }

    /// Removes what killed processes left behind. Only directories that are ours and that no other user could enter.
    private static func sweep(_ base: String) {
        for owner in PathPattern.matches(of: "\(base)/\(name)??????/owner") {
            let path = String(owner.dropLast("/owner".count))
            var about = stat()
            let uids = [geteuid()] + (geteuid() == 0 ? [getpwnam("postgres")?.pointee.pw_uid].compactMap { $0 } : [])
            guard lstat(path, &about) == 0, about.st_mode & 0o170777 == 0o040700, uids.contains(about.st_uid) else {
                continue
            }
            let lock = open(owner, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
            // The server of a killed process shuts down by itself, and needs the directory until then.
            let server = BoundedFile.tail(of: "\(path)/data/postmaster.pid").split(separator: "\n").first
            if let server = server.flatMap({ pid_t($0) }), kill(server, 0) == 0 || errno == EPERM { continue }
            remove(path)
        }
    }
}
