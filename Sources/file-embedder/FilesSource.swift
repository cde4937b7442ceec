import Foundation

/// Text files of a target: `page-head.css` becomes `EmbeddedFiles.page_head_css`, named as SwiftPM names resources.
enum FilesSource {
    static func swift(from files: [URL]) throws -> String {
        var names: Set<String> = []
        var constants = "", list = ""
        for file in files {
            let name = file.lastPathComponent
            let constant = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
            guard names.insert(constant).inserted else {
                throw FileEmbedder.Wrong(description: "two files would be EmbeddedFiles.\(constant)")
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            constants += "static let \(constant) = \(try FileEmbedder.literal(of: text, name))\n"
            list += "(\"\(name)\", \(constant)),\n"
        }
        return """
            // Made by file-embedder.

            /// The text files of this target.
            enum EmbeddedFiles {
            \(constants)
                /// All of them, by their names.
                static let all: [(name: String, text: String)] = [
            \(list)    ]
            }

            """
    }
}
