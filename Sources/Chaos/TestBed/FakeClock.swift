import Foundation

/// The wall clock of one program and its children, which can be set while it runs: Debian's libfaketime, preloaded.
///
/// The monotonic clock stays as it is. A program notices a change within a second.
struct FakeClock: Sendable {
    private let file: String

    /// - Parameter file: holds the offset; anybody may read it.
    init(file: String) throws {
        self.file = file
        try set(0)
    }

    /// How far the clock is off, in seconds; positive: ahead.
    func set(_ seconds: Double) throws {
        try String(format: "%+.3f\n", seconds).write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    /// A command that uses this clock. To be put behind whatever changes the user: another user's semaphore stops the
    /// library.
    func command(_ command: [String]) throws -> [String] {
        try ["/usr/bin/env"] + environment().map { "\($0.key)=\($0.value)" } + command
    }

    /// Makes a program that is started with it use this clock.
    func environment() throws -> [String: String] {
        guard let library = Self.library else {
            throw ChaosError("a fault of clocks needs libfaketime; bin/setup installs it")
        }
        return [
            "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DISABLE_SHM": "1",
        ]
    }

    /// The path of the library; nil: it is not installed.
    private static var library: String? {
        // A directory that is missing has no library.
        let machines = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return machines.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}
