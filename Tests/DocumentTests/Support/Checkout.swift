import Foundation
import ProgramSupport

/// The files of the repository, without what builds and tools leave beside them.
enum Checkout {
    /// Paths from the root, sorted.
    static let paths: [String] = {
        let root = Repository.root.standardizedFileURL.path()
        var paths: [String] = []
        var directories = [""]
        while let directory = directories.popLast() {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root + "/" + directory)) ?? []
            for name in names where !isLeftover(name) {
                let path = directory.isEmpty ? name : "\(directory)/\(name)"
                let type = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")[.type]
                switch type as? FileAttributeType {
                case .typeDirectory: directories.append(path)
                case .typeRegular: paths.append(path)
                default: break  // a link names a file that is listed where it is
                }
            }
        }
        return paths.sorted()
    }()

    private static let pathSet = Set(paths)
    private static let byName = Dictionary(grouping: paths) { path in
        String(path.split(separator: "/").last ?? "")
    }

    private static func isLeftover(_ name: String) -> Bool {
        [".git", ".swiftpm", ".venv", ".demo", "dist", "__pycache__"].contains(name) || name.hasPrefix(".build")
    }

    static func paths(in directories: [String]) -> [String] {
        paths.filter { path in directories.contains { path.hasPrefix($0 + "/") } }
    }

    static func exists(_ path: String) -> Bool {
        pathSet.contains(path) || FileManager.default.fileExists(atPath: Repository.url(path).path())
    }

    /// The file that a text of `file` means by this name: a path from the root, or the end of a path that only one file
    /// of the repository has, or only one in the same target.
    static func resolve(_ name: String, citedIn file: String) -> String? {
        if pathSet.contains(name) { return name }
        let base = String(name.split(separator: "/").last ?? "")
        let found = (byName[base] ?? []).filter { $0 == name || $0.hasSuffix("/" + name) }
        if found.count == 1 { return found[0] }
        let target = file.split(separator: "/").prefix(2).joined(separator: "/") + "/"
        let near = found.filter { $0.hasPrefix(target) }
        return near.count == 1 ? near[0] : nil
    }

    /// The comments of a source, one entry for each line or docstring.
    static func comments(of path: String) throws -> [String] {
        let text = try Repository.text(path)
        let lines =
            switch path.split(separator: ".").last {
            case "swift", "c", "h", "modulemap", "js": text.matches(of: /(?m)(?:^|[ \t])\/\/(.*)$/).map { $0.1 }
            case "sql": text.matches(of: /(?m)--(.*)$/).map { $0.1 }
            default: text.matches(of: /(?m)(?:^|[ \t])#(.*)$/).map { $0.1 }
            }
        let docstrings = path.hasSuffix(".py") ? text.matches(of: /(?s)"""(.*?)"""/).map { $0.1 } : []
        return (lines + docstrings).map(String.init)
    }

    /// A document without its code blocks.
    static func prose(of path: String) throws -> String {
        try Repository.text(path).replacing(/(?ms)^ *```.*?^ *```$/, with: "")
    }

    /// The headings of a document, as they are written and as links name them.
    static func headings(of path: String) throws -> (texts: Set<String>, anchors: Set<String>) {
        let texts = try prose(of: path).matches(of: /(?m)^#+ (.+)$/).map { String($0.1) }
        let anchors = texts.map { text in
            text.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
        }
        // A citation leaves out the number and the marks of code.
        let plain = texts.map { $0.replacing(#/^[0-9.]+ /#, with: "").replacing("`", with: "") }
        return (Set(texts + plain), Set(anchors))
    }

    /// Where a relative link of a document leads, as a path from the root; the document itself when it is empty.
    static func target(of link: String, in document: String) -> String {
        if link.isEmpty { return document }
        var steps = document.split(separator: "/").dropLast()
        for step in link.split(separator: "/") where step != "." {
            if step == ".." { _ = steps.popLast() } else { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }
}
