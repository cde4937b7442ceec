import Foundation
import ProgramSupport

/// A page of docs/: its code blocks and its links.
struct Page {
    /// One fenced code block.
    struct Block: CustomStringConvertible {
        /// The text behind the opening fence: a language, and perhaps more words.
        let info: String
        let text: String
        let line: Int

        var language: String { info.split(separator: " ").first.map(String.init) ?? "" }
        var description: String { "line \(line)" }
    }

    let path: String
    let text: String
    let blocks: [Block]

    init(_ path: String) throws {
        self.path = path
        text = try Repository.text(path)
        var blocks: [Block] = []
        var open: (info: String, line: Int, lines: [Substring], indent: Int)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            // A block in a list item is indented like the item's text.
            let fence = line.drop { $0 == " " }
            if let block = open {
                if fence == "```" {
                    blocks.append(
                        Block(info: block.info, text: block.lines.joined(separator: "\n"), line: block.line))
                    open = nil
                } else {
                    open?.lines.append(line.dropFirst(block.indent))
                }
            } else if fence.hasPrefix("```") {
                open = (String(fence.dropFirst(3)), index + 1, [], line.count - fence.count)
            }
        }
        self.blocks = blocks
    }

    /// The blocks of one language, in order.
    func blocks(_ language: String) -> [Block] { blocks.filter { $0.language == language } }

    /// Files this page links to, as paths from the root.
    var links: [String] {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return text.matches(of: /\]\(([A-Za-z0-9_.@\/-]+)(#[a-z0-9-]+)?\)/).map { match in
            folder.isEmpty ? String(match.1) : "\(folder)/\(match.1)"
        }
    }
}
