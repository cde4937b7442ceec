import Foundation
import Synchronization
import Testing

/// A wall clock that a test moves while programs and private servers go by it (Tests/Clock/clock.c). It runs on from where it
/// is set. Monotonic clocks are left alone, so leases, pauses and timeouts last as long as they do.
package final class MovedClock: Sendable {
    package static let compiler = Tool("clang")

    /// What our own programs inherit where the tests themselves go by a moved clock (`bin/test --clock`).
    static var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key == "LD_PRELOAD" }
    }

    /// For what is to go by this clock.
    package let environment: [String: String]
    private let scratch: ScratchDirectory
    /// Nanoseconds from the clock of this process.
    private let offset = Mutex<Int64>(0)

    /// - Parameter instant: where it begins, such as `2026-12-31T23:59:50Z`.
    package convenience init(at instant: String) async throws {
        try await self.init()
        try set(to: instant)
    }

    /// Is right until it is moved.
    package init() async throws {
        scratch = try ScratchDirectory()
        let library = scratch.path + "/clock.so"
        let ended = try await Self.compiler(
            [
                "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library,
                "Tests/Clock/clock.c",
            ]
        )
        try #require(ended.status == 0, "\(ended)")
        let first = Self.inherited["LD_PRELOAD"].map { ":" + $0 } ?? ""
        environment = ["LD_PRELOAD": library + first]
        try Data(count: 8).write(to: scratch.url("offset"))
    }

    /// Moves it, forward or back.
    package func advance(by seconds: Double) throws {
        try offset.withLock { offset in
            offset += Int64(seconds * 1_000_000_000)
            let file = open(scratch.path + "/offset", O_WRONLY)
            defer { close(file) }
            // All eight bytes at once: readers have them mapped.
            let written = withUnsafeBytes(of: offset.littleEndian) { pwrite(file, $0.baseAddress, $0.count, 0) }
            guard written == 8 else { throw POSIXError(.EIO) }
        }
    }

    /// Moves it to an instant.
    package func set(to instant: String) throws {
        try advance(by: try Date(instant, strategy: .iso8601).timeIntervalSince1970 - now)
    }

    /// Seconds since 1970.
    package var now: Double { Date().timeIntervalSince1970 + offset.withLock { Double($0) } / 1_000_000_000 }
}
