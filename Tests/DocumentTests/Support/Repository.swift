import Foundation

/// The files that are tried here, as they lie in the repository.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    static func url(_ path: String) -> URL { root.appending(path: path) }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Names of the files in a directory that end so, sorted.
    static func files(in directory: String, ending: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(directory).path())
            .filter { $0.hasSuffix(ending) }.sorted()
    }
}
