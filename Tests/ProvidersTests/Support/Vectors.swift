import Foundation
import Testing

/// The conformance vectors next to these tests, by file name.
func vectors<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) throws -> Content {
    let file = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(contentsOf: file))
}
