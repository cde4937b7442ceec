import Foundation

/// The files of Tests/Vectors: facts and cases that tests of several targets share. Read where they stand.
package enum Vectors {
    /// A file that is not what a test takes it for.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    package static func url(_ file: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/\(file)")
    }

    /// Reads a JSON file.
    ///
    /// - Parameter name: the file without `.json`.
    /// - Parameter areKeysNames: whether a key such as `only_or` is the property `onlyOr`; false: keys are data.
    package static func read<Content: Decodable>(
        _ name: String, as type: Content.Type = Content.self, areKeysNames: Bool = true
    ) throws -> Content {
        let decoder = JSONDecoder()
        if areKeysNames { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try decoder.decode(type, from: Data(contentsOf: url("\(name).json")))
    }

    /// Reads a JSON file that holds one object.
    package static func object(_ name: String) throws -> [String: Any] { try json(name) }

    /// Reads a JSON file that holds one array of objects.
    package static func objects(_ name: String) throws -> [[String: Any]] { try json(name) }

    /// The objects in one member of a file.
    package static func objects(_ name: String, _ member: String) throws -> [[String: Any]] {
        guard let objects = try object(name)[member] as? [[String: Any]] else {
            throw Unreadable(description: "\(name).json: \(member) is not an array of objects")
        }
        return objects
    }

    /// The inputs that bin/fuzz keeps for a parser, one per line in base64; none without a file.
    package static func corpus(_ parser: String) throws -> [[UInt8]] {
        let file = url("Corpus/\(parser).txt")
        guard FileManager.default.fileExists(atPath: file.path()) else { return [] }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            guard let input = Data(base64Encoded: String(line)) else {
                throw Unreadable(description: "\(parser).txt: not base64: \(line)")
            }
            return Array(input)
        }
    }

    private static func json<Content>(_ name: String) throws -> Content {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: url("\(name).json")))
        guard let content = content as? Content else {
            throw Unreadable(description: "\(name).json is not a \(Content.self)")
        }
        return content
    }
}
