import Foundation

/// CPU time: of this process, of some of its threads, and of the machine.
struct CPUUse: Sendable {
    /// Seconds all threads of this process have used, those that have ended too.
    var process: Double
    /// Seconds used by the threads that are left out.
    var others: Double
    /// Ticks of all processors since the start of the machine, and how many of them were not idle; nil: not reported.
    var machine: (busy: Double, all: Double)?

    /// - Parameter prefix: of the names of threads to leave out.
    static func now(without prefix: String) -> CPUUse {
        // Threads come and go while we look; one that went has no name. The folder itself is there on every Linux.
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let others = threads.compactMap { pid_t($0) }.filter {
            text("/proc/self/task/\($0)/comm")?.hasPrefix(prefix) ?? false
        }
        return CPUUse(
            process: seconds(CLOCK_PROCESS_CPUTIME_ID), others: others.reduce(0) { $0 + seconds(clock(of: $1)) },
            machine: text("/proc/stat").flatMap(ticks))
    }

    /// nil: there is no such file, because a thread went or /proc is shut; the caller leaves it out then.
    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The clock of one thread of this process, as `pthread_getcpuclockid` makes it (bits 0 to 2: scheduler, per thread).
    private static func clock(of thread: pid_t) -> clockid_t { clockid_t(~thread << 3 | 6) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }  // a thread that has just ended
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The first line of /proc/stat: `cpu user nice system idle iowait irq softirq steal …`.
    static func ticks(_ stat: String) -> (busy: Double, all: Double)? {
        guard let line = stat.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
        // What guests use is in user and nice already.
        let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard numbers.count >= 4 else { return nil }
        let all = numbers.reduce(0, +)
        return (all - numbers[3] - (numbers.count > 4 ? numbers[4] : 0), all)
    }

    /// Seconds of this process since `before`, without the threads that are left out.
    func seconds(since before: CPUUse) -> Double { process - before.process - (others - before.others) }

    /// The share of all processors that was busy since `before`, 0 to 1.
    func busy(since before: CPUUse) -> Double? {
        guard let machine, let then = before.machine, machine.all > then.all else { return nil }
        return min(1, max(0, (machine.busy - then.busy) / (machine.all - then.all)))
    }
}
