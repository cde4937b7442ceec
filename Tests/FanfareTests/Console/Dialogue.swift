import Foundation
import ProgramSupport

/// `fanfare console password` at a terminal of its own.
struct Dialogue {
    /// As a shell has it: 130 where SIGINT ended it.
    let status: Int32
    /// What standard output got, which is no terminal.
    let output: String
    /// All that the terminal showed.
    let shown: String
    /// Whether the terminal shows what is typed after its end.
    let echoes: Bool

    /// Types each text once the program has asked for it.
    static func run(_ fanfare: BuiltProgram, typing texts: [String]) async throws -> Dialogue {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard openpty(&ours, &theirs, nil, nil, nil) == 0 else { throw POSIXError(.ENOTTY) }
        defer {
            close(ours)
            close(theirs)
        }
        for end in [ours, theirs] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ours, F_SETFL, O_NONBLOCK)
        let scratch = try ScratchDirectory()
        let process = fanfare.process(["console", "password"])
        // With the leader of its session the settings of a terminal end, so a shell has to look at them.
        let script = #"trap : INT; "$@"; status=$?; stty -a >"$0"; exit $status"#
        let leading = ["--ctty", "--wait", "/bin/sh", "-c", script, scratch.url("stty").path()]
        process.arguments = leading + [process.executableURL?.path() ?? ""] + (process.arguments ?? [])
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.standardInput = FileHandle(fileDescriptor: theirs, closeOnDealloc: false)
        process.standardOutput = try scratch.open("output")
        process.standardError = FileHandle(fileDescriptor: theirs, closeOnDealloc: false)
        let ended = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { ended.continuation.yield($0.terminationStatus) }
        try process.run()
        var shown = ""
        for (count, text) in texts.enumerated() {
            while shown.ranges(of: ": ").count <= count, process.isRunning {
                shown += read(ours)
                try await Task.sleep(for: .milliseconds(5))
            }
            _ = text.withCString { write(ours, $0, strlen($0)) }
        }
        var statuses = ended.stream.makeAsyncIterator()
        let status = await statuses.next() ?? -1
        shown += read(ours)
        return Dialogue(
            status: status, output: try scratch.read("output"), shown: shown,
            echoes: try scratch.read("stty").split(separator: " ").contains("echo"))
    }

    /// What has come so far.
    private static func read(_ terminal: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Foundation.read(terminal, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
