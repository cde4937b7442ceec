import Foundation

/// What a private PostgreSQL leaves on a machine while it is there.
package struct ServerTraces {
    package let directory: String

    package init(directory: String) { self.directory = directory }

    package var isDirectoryThere: Bool { FileManager.default.fileExists(atPath: directory) }

    /// Command lines of processes that were started for the directory.
    package var processes: [String] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return numbers.compactMap { number in
            // Processes come and go while we look; those that went have no command line.
            guard Int(number) != nil, let line = try? Data(contentsOf: URL(filePath: "/proc/\(number)/cmdline")) else {
                return nil
            }
            let text = String(decoding: line, as: UTF8.self).replacing("\0", with: " ")
            return text.contains("-D \(directory)/") ? text : nil
        }
    }

    /// The directory of the server that a process of ours has started, or is making; nil: there is none.
    package static func ofServer(startedBy parent: pid_t) -> ServerTraces? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for number in numbers where Int(number) != nil {
            guard let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8),
                status.contains("PPid:\t\(parent)\n"),
                let line = try? Data(contentsOf: URL(filePath: "/proc/\(number)/cmdline"))
            else { continue }
            let arguments = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            guard let option = arguments.firstIndex(of: "-D"), option + 1 < arguments.count else { continue }
            return ServerTraces(directory: arguments[option + 1].replacing("/data", with: ""))
        }
        return nil
    }
}
