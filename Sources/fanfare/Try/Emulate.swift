import ArgumentParser
import CommandLineTool
import Foundation

/// `fanfare emulate`: runs the program `fanfare-emulator` in place of this one.
struct Emulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate", abstract: "Run fanfare-emulator: a notification hub on this machine.",
        discussion: """
            All further arguments go to fanfare-emulator, which is a program and a package of its own.

            Example: fanfare emulate --hub breaking-news
            """)

    @Argument(parsing: .captureForPassthrough, help: "As fanfare-emulator takes them.") var arguments: [String] = []

    /// - Throws: `Failure` when the program is nowhere; otherwise this process becomes that program.
    func run() throws {
        let path = Self.installed
        if let path {
            var words = ([path] + arguments).map { strdup($0) } + [nil]
            execv(path, &words)
        }
        throw Failure(
            "cannot run fanfare-emulator",
            because: path.map { "\($0): \(String(cString: strerror(errno)))" }
                ?? "it is neither beside fanfare nor in PATH",
            hint: "Install the package fanfare-emulator, or build it: swift build --product fanfare-emulator",
            status: .unavailable)
    }

    /// Beside this program, else in `PATH`.
    private static var installed: String? {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories = [(here as NSString).deletingLastPathComponent] + path.split(separator: ":").map(String.init)
        return directories.map { $0 + "/fanfare-emulator" }.first(where: FileManager.default.isExecutableFile)
    }
}
