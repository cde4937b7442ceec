import Foundation
import Testing

/// What a post costs, in counts that hardly depend on the machine or on what else it does: a change that doubles one of
/// them is seen here before it is seen on a clock. Each is a slope between two drains of different size, so that start and
/// end do not count. Bounds are about twice what was measured on 2026-11-22, two loaded cores.
/// Instructions are the server's only (`CostTests+Server.swift`): those of the worker need a processor that counts them
/// for `perf`, which virtual machines often hide.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CostTests {
    /// Messages of the smaller and of the larger drain.
    private static let sizes = (small: 1_000, large: 3_000)

    private static let strace = ["strace", "-c", "-f", "-o", "/dev/null", "true"]

    @Test(
        .enabled(if: Counted.works(strace), "strace is missing, or nobody may trace here: bin/setup --test installs it")
    )
    func systemCalls() async throws {
        let site = try await Counted.make()
        func calls(_ count: Int) async throws -> [String: Int] {
            try await site.drain(count, under: ["/usr/bin/strace", "-c", "-f", "-o", site.path("calls")])
            return Self.calls(in: try site.read("calls"))
        }
        let (small, large) = (try await calls(Self.sizes.small), try await calls(Self.sizes.large))
        func perPost(_ names: String...) -> Double {
            let more = names.reduce(0) { $0 + large[$1, default: 0] - small[$1, default: 0] }
            return Double(more) / Double(Self.sizes.large - Self.sizes.small)
        }
        let all = Set(small.keys).union(large.keys).reduce(0) { $0 + perPost($1) }
        // Measured 8.7 in a debug and 5.4 in a release build: some of them wait, and go by the clock.
        #expect(all < 18, "\(all) system calls a post")
        // Measured 2.4: one of each for the post, and a share in those of the database's statements.
        #expect(perPost("sendto", "recvfrom") < 4.8)
        #expect(perPost("connect") < 0.1, "connections are not kept")
        // Each thread once; none for a post.
        #expect(perPost("clone3", "clone") < 0.02)
    }

    /// strace's table: `% time, seconds, usecs/call, calls, [errors,] syscall`.
    private static func calls(in table: String) -> [String: Int] {
        var calls: [String: Int] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard (5...6).contains(words.count), let count = Int(words[3]), let name = words.last, name != "total"
            else {
                continue
            }
            calls[String(name), default: 0] += count
        }
        return calls
    }

    private static let compiler = ["clang", "--version"]  // comes with Swift

    @Test(.enabled(if: Counted.isExpected(compiler), "there is no clang in PATH"))
    func allocations() async throws {
        let site = try await Counted.make()
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Benchmarks/c/count_malloc.c")
        let library = site.path("count_malloc.so")
        try #require(Counted.works(["clang", "-O2", "-shared", "-fPIC", "-o", library, source.path()]))
        func allocations(_ count: Int) async throws -> Int {
            try await site.drain(
                count, environment: ["LD_PRELOAD": library, "FANFARE_COUNT_MALLOC": site.path("allocations")])
            let line = try site.read("allocations")
            return try #require(line.firstMatch(of: /allocations=([0-9]+)/).flatMap { Int($0.1) }, "\(line)")
        }
        let (small, large) = (try await allocations(Self.sizes.small), try await allocations(Self.sizes.large))
        let perPost = Double(large - small) / Double(Self.sizes.large - Self.sizes.small)
        #if DEBUG
            let bound = 1_200.0  // measured 615
        #else
            let bound = 145.0  // measured 72 and 73
        #endif
        #expect(perPost < bound, "\(perPost) allocations a post")
        #expect(perPost > 1, "nothing was counted")
    }
}
