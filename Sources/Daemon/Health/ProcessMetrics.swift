import Foundation
import HTTPTransport
import Postgres
import PushModel
import Signing
import Telemetry

/// What the kernel counts of this process, and which settings it has. As Prometheus' client libraries name it.
struct ProcessMetrics: Sendable {
    /// Seconds since 1970.
    let started: Double

    func collect(into reading: inout MetricsReading, _ state: WorkerVitals.State) {
        reading.set(state.isReloadRefused ? 0 : 1, of: .reloadSuccessful)
        reading.set(state.reloadedAt ?? started, of: .reloadTime)
        reading.set(
            1, of: .buildInfo, fanfareVersion, Self.compiler, LibCurlFacts.current.version, LibPQ.version,
            OpenSSL.version)
        reading.set(Self.cpuSeconds, of: .processCPU)
        reading.set(started, of: .processStart)
        if let bytes = Self.residentBytes { reading.set(bytes, of: .processResident) }
        if let count = Self.openFiles { reading.set(Double(count), of: .processOpenFiles) }
        if let most = Self.mostFiles { reading.set(Double(most), of: .processMostFiles) }
    }

    /// The compiler can only be compared with, not asked.
    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.1 or older"
        #endif
    }

    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The second number of /proc/self/statm, in pages (proc(5)).
    private static var residentBytes: Double? {
        guard
            let pages = FileManager.default.contents(atPath: "/proc/self/statm")
                .flatMap({ String(decoding: $0, as: UTF8.self).split(separator: " ").dropFirst().first })
                .flatMap({ Double($0) })
        else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// nil: /proc cannot be read.
    private static var openFiles: Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = -3  // ".", ".." and the directory itself
        while readdir(directory) != nil { count += 1 }
        return count
    }

    private static var mostFiles: UInt? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur
    }
}
