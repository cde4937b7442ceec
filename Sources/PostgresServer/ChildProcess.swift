import Glibc

/// A program run for a private server, as an unprivileged user when we are root.
///
/// It starts in `/`, in a process group of its own (Ctrl-C in a terminal is for us only), with no signal blocked and
/// without our open files. Of our environment it gets only the paths of programs and libraries, and those that are loaded
/// first: no `PG…` variable reaches it.
struct ChildProcess {
    let id: pid_t

    /// - Parameters:
    ///   - command: program and arguments. `env` changes the directory and `setpriv` does what is not in posix_spawn.
    ///   - output: the file that its output is appended to.
    ///   - environment: more of it, or other values.
    ///   - diesWithThread: the program gets SIGINT when the calling **thread** ends, so the caller has to stay and
    ///     wait. `setpriv` requests that after changing the user, because the change would undo it.
    init(
        _ command: [String], output: String, environment added: [String: String] = [:], diesWithThread: Bool = false
    ) throws(TemporaryServerError) {
        var line = ["env", "-C", "/"]
        let isRoot = geteuid() == 0
        if isRoot || diesWithThread { line.append("setpriv") }
        if isRoot { line += ["--reuid=postgres", "--regid=postgres", "--init-groups"] }
        if diesWithThread { line.append("--pdeathsig=INT") }
        line += (isRoot || diesWithThread ? ["--"] : []) + command

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for file in Self.openFiles() where file > 2 { posix_spawn_file_actions_addclose(&actions, file) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let arguments = line.map { strdup($0) }
        let environment = Self.environment(with: added).map { strdup($0) }
        defer { for text in arguments + environment { free(text) } }
        var id = pid_t()
        let fault = posix_spawnp(&id, "env", &actions, &attributes, arguments + [nil], environment + [nil])
        guard fault == 0 else { throw .system("run \(command[0])", fault) }
        self.id = id
    }

    /// Waits until it has ended. It stays a zombie, so its number is not given to another process yet.
    func waitForEnd() { _ = ended(WEXITED | WNOWAIT) }

    var hasEnded: Bool { ended(WEXITED | WNOWAIT | WNOHANG) }

    /// - Returns: the exit code, or 128 and the number of the signal that ended it.
    @discardableResult
    func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    private func ended(_ options: Int32) -> Bool {
        var info = siginfo_t()
        var result: Int32
        repeat { result = waitid(P_PID, id_t(id), &info, options) } while result == -1 && errno == EINTR
        return result == 0 && info.si_signo == SIGCHLD
    }

    private static func environment(with added: [String: String]) -> [String] {
        var variables = ["LC_ALL": "C.UTF-8"]
        for name in ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables.merging(added) { $1 }.map { "\($0.key)=\($0.value)" }
    }

    private static func openFiles() -> [Int32] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var files: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let file = Int32(name) { files.append(file) }
        }
        return files
    }
}
