import Files
import Glibc
import Postgres

/// Where PostgreSQL's server programs are installed.
package struct PostgresBinaries {
    let directory: String

    /// Asks `pg_config` first, then takes the newest of Debian's versions.
    ///
    /// - Parameter scratch: a directory to write to.
    /// - Throws: `TemporaryServerError` that names the package when no server is installed.
    package init(scratch: String) throws(TemporaryServerError) {
        let asked = Self.askPgConfig(scratch)
        let found = Self.installed("/usr/lib/postgresql/*/bin/initdb")
        guard let directory = ([asked].compactMap { $0 } + found).first(where: Self.isComplete) else {
            throw TemporaryServerError(
                doing: "start a private PostgreSQL",
                message: "no initdb in \(asked.map { "\($0) or " } ?? "")/usr/lib/postgresql/*/bin; "
                    + "install the server: apt-get install postgresql")
        }
        self.directory = directory
    }

    package func path(_ program: String) -> String { "\(directory)/\(program)" }

    private static func isComplete(_ directory: String) -> Bool {
        ["initdb", "postgres"].allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }

    /// pg_config comes with the client's headers, so its directory may hold no server.
    private static func askPgConfig(_ scratch: String) -> String? {
        let output = "\(scratch)/bindir"
        guard let child = try? ChildProcess(["pg_config", "--bindir"], output: output), child.reap() == 0 else {
            return nil  // not installed: look in the second place
        }
        return BoundedFile.tail(of: output).split(separator: "\n").first.map(String.init)
    }

    /// The directories of what matches, newest version first.
    private static func installed(_ pattern: String) -> [String] {
        let directories = PathPattern.matches(of: pattern).map { String($0.dropLast("/initdb".count)) }
        func version(_ directory: String) -> Double {
            directory.split(separator: "/").compactMap { Double($0) }.last ?? 0
        }
        return directories.sorted { version($0) > version($1) }
    }
}
