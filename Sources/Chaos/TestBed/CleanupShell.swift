import Foundation

/// Removes everything when this process has ended in any way: a shell that waits for the end of its input, which we hold.
struct CleanupShell {
    private let shell: ChildProgram
    private let input: Pipe

    /// - Parameters:
    ///   - ending: shell code that ends the servers.
    ///   - worker: the workers' program; only processes of it are killed.
    init(directory: String, ending: String, worker: String) throws {
        input = Pipe()
        // So that nothing else we start keeps it open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let script = """
            trap '' INT TERM HUP
            cat >/dev/null
            for id in $(cat \(directory)/workers 2>/dev/null); do
                if [ "$(readlink /proc/$id/exe)" = "\(worker)" ]; then kill -9 $id; fi
            done
            \(ending)
            [ -e \(directory)/keep ] || rm -rf \(directory)
            """
        shell = try ChildProgram(
            ["/usr/bin/setsid", "--wait", "/bin/sh", "-c", script], log: "/dev/null", input: input.fileHandleForReading)
        try input.fileHandleForReading.close()
    }

    /// Returns when everything is gone.
    func finish() async {
        // A pipe that cannot be closed is closed already.
        try? input.fileHandleForWriting.close()
        _ = await shell.ended
    }
}
