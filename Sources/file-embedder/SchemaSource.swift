import Foundation

/// The files of `migrations/`, in the order of `migrations/install.sql`.
enum SchemaSource {
    static func swift(from migrations: URL) throws -> String {
        func text(_ path: String) throws -> String {
            try String(contentsOf: migrations.appending(path: path), encoding: .utf8)
        }
        let script = try text("install.sql")
        let paths = script.split(separator: "\n").filter { $0.hasPrefix("\\ir ") }.map { String($0.dropFirst(4)) }
        guard let release = try text("release.sql").firstMatch(of: /VALUES \((\d+), (\d+)\)/) else {
            throw FileEmbedder.Wrong(description: "migrations/release.sql has no line VALUES (release, works_from)")
        }
        let files = try paths.map { path in
            "SchemaFile(\"\(path)\", sql: \(try FileEmbedder.literal(of: text(path), "migrations/\(path)"))),\n"
        }
        return """
            // Made by file-embedder from migrations/.

            extension SchemaFile {
                /// All files of the schema, in the order in which they run.
                public static let all: [SchemaFile] = [
            \(files.joined())    ]

                /// The text of migrations/install.sql.
                static let install = \(try FileEmbedder.literal(of: script, "migrations/install.sql"))
            }

            extension Schema {
                /// The release of this build: `push.release.release`.
                public static let release: Int32 = \(release.1)
            }

            """
    }
}
