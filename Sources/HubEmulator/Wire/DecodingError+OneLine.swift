extension DecodingError {
    /// The error and its place, for the author of the JSON.
    var inOneLine: String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(Self.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Self.path(context.codingPath)) has the wrong type"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "not JSON" : "\(Self.path(context.codingPath)): \(context.debugDescription)"
        @unknown default:
            "not understood"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let names = keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
        return names.isEmpty ? "the document" : names.joined(separator: ".")
    }
}
