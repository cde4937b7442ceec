import Foundation
import ProgramSupport
import Testing

/// YAML as JSON, read by the Python library of the linters.
enum YAML {
    /// The documents of a file.
    static func read(_ path: String) async throws -> [[String: Any]] {
        let program = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))"
        let ended = try await Tool.yaml(["-c", program, Repository.url(path).path()])
        let value = try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
        return try #require(value as? [[String: Any]], "\(ended)")
    }

    /// The commands of the containers in a file: entry point of the image, and arguments.
    static func commands(_ path: String) async throws -> [[String]] {
        try await read(path).flatMap(commands(in:))
    }

    private static func commands(in value: Any) -> [[String]] {
        if let list = value as? [Any] { return list.flatMap(commands(in:)) }
        guard let members = value as? [String: Any] else { return [] }
        var found = members.values.flatMap(commands(in:))
        if members["image"] != nil {
            let arguments = members["args"] as? [String] ?? []
            found.append((members["command"] as? [String] ?? ["fanfare"]) + arguments)
        }
        return found
    }
}
