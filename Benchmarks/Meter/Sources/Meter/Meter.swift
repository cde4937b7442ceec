import Glibc

/// The cost of a loop of posts since `init`. Both sides of the group `transport` read the same clocks.
public struct Meter: Sendable {
    private let cpu = Meter.cpuSeconds()
    private let began = Meter.monotonic()

    public init() {}

    /// - Returns: `rps=N cpu_us/req=N` for this many requests since `init`; CPU is that of the whole process.
    public func figures(of requests: Int) -> String {
        guard requests > 0 else { return "rps=0 cpu_us/req=0" }
        let seconds = Meter.monotonic() - began
        let cpu = (Meter.cpuSeconds() - cpu) * 1e6 / Double(requests)
        return "rps=\(Int(Double(requests) / seconds)) cpu_us/req=\(cpu.rounded2)"
    }

    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(0), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    private static func monotonic() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}

/// One task for each request in flight, each with its share of the numbers from 0 to below `total`.
///
/// - Parameter post: sends the request with that number; returns whether it was accepted.
/// - Returns: how many were accepted.
public func postEach(
    _ total: Int, inFlight: Int, _ post: @escaping @Sendable (Int) async throws -> Bool
) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for lane in 0..<inFlight {
            group.addTask {
                var accepted = 0
                for id in stride(from: lane, to: total, by: inFlight) where try await post(id) { accepted += 1 }
                return accepted
            }
        }
        return try await group.reduce(0, +)
    }
}

extension Double {
    public var rounded2: Double { (self * 100).rounded() / 100 }
}
