import Foundation

/// The files of `migrations/` as they stand in the repository.
enum SchemaSource {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../migrations").standardizedFileURL

    /// Below the folder, sorted.
    static func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }.sorted()
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
}
