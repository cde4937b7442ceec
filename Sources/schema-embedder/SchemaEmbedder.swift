import Foundation

/// Writes the files of `migrations/` into one Swift file, each as a string, in the order of `migrations/install.sql`.
///
///     schema-embedder MIGRATIONS OUTPUT
///
/// The plugin EmbedSchema runs it when something is built.
@main enum SchemaEmbedder {
    struct Wrong: Error, CustomStringConvertible { var description: String }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Wrong(description: "usage: schema-embedder MIGRATIONS OUTPUT") }
        let migrations = URL(filePath: arguments[1], directoryHint: .isDirectory)
        func text(_ path: String) throws -> String {
            try String(contentsOf: migrations.appending(path: path), encoding: .utf8)
        }
        let script = try text("install.sql")
        let paths = script.split(separator: "\n").filter { $0.hasPrefix("\\ir ") }.map { String($0.dropFirst(4)) }
        guard let release = try text("release.sql").firstMatch(of: /VALUES \((\d+), (\d+)\)/) else {
            throw Wrong(description: "migrations/release.sql has no line VALUES (release, works_from)")
        }
        var swift = """
            // Made by schema-embedder from migrations/.

            extension SchemaFile {
                /// All files of the schema, in the order in which they run.
                public static let all: [SchemaFile] = [

            """
        for path in paths {
            swift += "SchemaFile(\"\(path)\", sql: \(try literal(of: text(path), path))),\n"
        }
        swift += """
                ]

                /// The text of migrations/install.sql.
                static let install = \(try literal(of: script, "install.sql"))
            }

            extension Schema {
                /// The release of this build: `push.release.release`.
                public static let release: Int32 = \(release.1)
            }

            """
        try swift.write(to: URL(filePath: arguments[2]), atomically: true, encoding: .utf8)
    }

    /// A raw string of several lines, which holds every text but one with its own end.
    private static func literal(of text: String, _ path: String) throws -> String {
        guard !text.contains("\"\"\"####"), !text.contains("\\####"), !text.contains("\r") else {
            throw Wrong(description: "migrations/\(path) has \"\"\"####, \\#### or a CR, which no raw string holds")
        }
        return "####\"\"\"\n\(text)\n\"\"\"####"
    }
}
