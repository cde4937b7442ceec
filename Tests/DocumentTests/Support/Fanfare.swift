import Foundation

/// The built command, beside the test bundle.
enum Fanfare {
    static let path: String = {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        let candidates = [here, bundle].map {
            URL(filePath: $0).deletingLastPathComponent().appending(path: "fanfare").path()
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }()

    /// Where the command lies, for a PATH.
    static var directory: String { URL(filePath: path).deletingLastPathComponent().path() }

    static let tool = Tool(path)
}
