import Foundation
import ProgramSupport
import Testing

/// What one run of bin/package made of the programs of this test run.
struct Packages {
    /// The files of a package or tarball, as `tar --list --verbose` shows them.
    struct Contents {
        private(set) var files: Set<String> = []
        private(set) var directories: [String] = []
        private(set) var modes: [String: String] = [:]
        private(set) var owners: Set<String> = []

        /// - Parameter prefix: left out of every path.
        init(_ list: String, prefix: String) {
            for line in list.split(separator: "\n") {
                let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                guard fields.count == 6, fields[5].count > prefix.count else { continue }
                let path = String(fields[5].dropFirst(prefix.count))
                modes[path] = String(fields[0])
                owners.insert(String(fields[1]))
                if path.hasSuffix("/") { directories.append(path) } else { files.insert(path) }
            }
        }
    }

    /// Holds the packages; gone with the last copy.
    let scratch: ScratchDirectory
    let ended: Tool.Ended
    let version: String

    init(_ options: String...) async throws {
        scratch = try ScratchDirectory()
        let binaries = URL(filePath: BuiltProgram.path(of: "fanfare")).deletingLastPathComponent().path()
        ended = try await Tool.shell(
            ["bin/package", "--binaries", binaries, "--output", scratch.path] + options,
            // Good compression of debug builds takes a minute.
            environment: ["DPKG_DEB_COMPRESSOR_TYPE": "xz", "DPKG_DEB_COMPRESSOR_LEVEL": "0"])
        try #require(ended.status == 0, "\(ended)")
        version = try await BuiltProgram(settings: nil)("--version").output.trimmingCharacters(in: .newlines)
    }

    /// The path of a Debian package.
    private func path(of program: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        let name = try #require(names.first { $0.hasPrefix("\(program)_\(version)_") && $0.hasSuffix(".deb") })
        return scratch.path + "/" + name
    }

    private func debian(_ arguments: String...) async throws -> String {
        let ended = try await Tool.debian(arguments)
        try #require(ended.status == 0, "\(ended)")
        return ended.output
    }

    func contents(of program: String) async throws -> Contents {
        Contents(try await debian("--contents", path(of: program)), prefix: "./")
    }

    /// One field of the control file; empty: it has none.
    func field(_ name: String, of program: String) async throws -> String {
        try await debian("--field", path(of: program), name).trimmingCharacters(in: .newlines)
    }

    /// Names of the packages it depends on; of alternatives, the first.
    func dependencies(of program: String) async throws -> Set<String> {
        let depends = try await field("Depends", of: program)
        return Set(depends.split(separator: ", ").map { String($0.prefix { $0 != " " }) })
    }

    /// Its files, without those of control.
    func unpacked(_ program: String) async throws -> ScratchDirectory {
        let root = try ScratchDirectory()
        _ = try await debian("--extract", path(of: program), root.path)
        return root
    }

    /// Its control file, scripts and checksums.
    func control(of program: String) async throws -> ScratchDirectory {
        let root = try ScratchDirectory()
        _ = try await debian("--control", path(of: program), root.path)
        return root
    }

    func tarball(_ arguments: String...) async throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        let name = try #require(names.first { $0.hasPrefix("fanfare-\(version)-linux-") && $0.hasSuffix(".tar.gz") })
        let ended = try await Tool("tar")(["--file", scratch.path + "/" + name] + arguments)
        try #require(ended.status == 0, "\(ended)")
        return ended.output
    }

    func contentsOfTarball() async throws -> Contents {
        let list = try await tarball("--list", "--verbose", "--numeric-owner")
        let top = try #require(list.firstMatch(of: #/ (fanfare-[^/]*/)/#)?.1)
        return Contents(list, prefix: String(top))
    }
}
