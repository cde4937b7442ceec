import Foundation

/// The checkout these tests were built from, and its files.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    package static func url(_ path: String) -> URL { root.appending(path: path) }

    package static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Sorted names of the files in a directory, of all or of those with this ending.
    package static func files(in directory: String, ending: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(directory).path())
            .filter { $0.hasSuffix(ending) }.sorted()
    }

    /// The same of all folders below, as paths from the directory.
    package static func files(below directory: String, ending: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url(directory).path())
            .filter { $0.hasSuffix(ending) }.sorted()
    }
}
