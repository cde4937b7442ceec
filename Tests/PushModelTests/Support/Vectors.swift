import Foundation

/// The conformance vectors. A missing or malformed file ends the test run.
enum Vectors {
    /// Reads a file, with keys such as `only_or` renamed to `onlyOr`.
    static func read<T: Decodable>(_ name: String, as type: T.Type = T.self) -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decode(name, with: decoder)
    }

    /// Reads a file in which keys are data and are not renamed.
    static func plain<T: Decodable>(_ name: String, as type: T.Type = T.self) -> T {
        decode(name, with: JSONDecoder())
    }

    /// The expected rendering of a document in templates.json.
    static func expectedDocument(_ id: String) throws -> NSDictionary? {
        let file = try JSONSerialization.jsonObject(with: data("templates")) as? NSDictionary
        let document = (file?["documents"] as? [NSDictionary])?.first { $0["id"] as? String == id }
        return document?["expect"] as? NSDictionary
    }

    /// The JSON text of each value of an array in a file.
    static func texts(_ name: String, _ key: String) throws -> [String] {
        let file = try JSONSerialization.jsonObject(with: data(name)) as? NSDictionary
        return try (file?[key] as? [Any] ?? []).map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
        }
    }

    /// The objects of a file that contains one array.
    static func objects(_ name: String) throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: data(name)) as? [[String: Any]] ?? []
    }

    private static func decode<T: Decodable>(_ name: String, with decoder: JSONDecoder) -> T {
        do {
            return try decoder.decode(T.self, from: data(name))
        } catch {
            fatalError("vectors \(name): \(error)")  // without vectors a suite would pass without testing anything
        }
    }

    private static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Vectors/\(name).json"))
    }
}
