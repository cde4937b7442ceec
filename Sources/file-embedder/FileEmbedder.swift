import Foundation

/// Writes files into one Swift file, each as a string. The plugin EmbedFiles runs it when something is built.
///
///     file-embedder schema OUTPUT MIGRATIONS    the files of the schema, as SchemaFile.all
///     file-embedder files OUTPUT FILE ...       any text files, as EmbeddedFiles
@main enum FileEmbedder {
    struct Wrong: Error, CustomStringConvertible { var description: String }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, let kind = arguments.first else {
            throw Wrong(description: "usage: file-embedder schema OUTPUT MIGRATIONS | files OUTPUT FILE ...")
        }
        let inputs = arguments.dropFirst(2).map { URL(filePath: $0) }
        let swift =
            switch kind {
            case "schema": try SchemaSource.swift(from: inputs[0])
            case "files": try FilesSource.swift(from: inputs)
            default: throw Wrong(description: "file-embedder makes schema or files, not \(kind)")
            }
        try swift.write(to: URL(filePath: arguments[2]), atomically: true, encoding: .utf8)
    }

    /// A raw string of several lines, which holds every text but one with its own end.
    static func literal(of text: String, _ path: String) throws -> String {
        guard !text.contains("\"\"\"####"), !text.contains("\\####"), !text.contains("\r") else {
            throw Wrong(description: "\(path) has \"\"\"####, \\#### or a CR, which no raw string holds")
        }
        return "####\"\"\"\n\(text)\n\"\"\"####"
    }
}
