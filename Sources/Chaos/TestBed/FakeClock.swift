import Foundation

/// The wall clock of one program and its children, which can be set while it runs.
///
/// A small library of ours, loaded before all others. Debian's libfaketime does the same for most programs, but it changes
/// the environment before `main`, and a Swift program finds its arguments beside the environment it was started with: it
/// then sees none (tried with 0.9.10). The monotonic clock stays as it is.
struct FakeClock: Sendable {
    private let file: String
    private let library: String

    /// - Parameters:
    ///   - file: is made, and holds how far the clock is off; every user may read it.
    ///   - library: what `build` made.
    init(file: String, library: String) throws {
        self.file = file
        self.library = library
        try Data(count: 8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    /// Sets how far the clock is off, at once.
    ///
    /// - Parameter seconds: positive: ahead.
    func set(_ seconds: Double) throws {
        // In place: the programs have the file mapped.
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        defer { handle.closeFile() }
        let nanoseconds = Int64(seconds * 1e9)
        try handle.write(contentsOf: withUnsafeBytes(of: nanoseconds) { Data($0) })
    }

    /// A command that uses this clock. Put it behind whatever changes the user.
    func command(_ command: [String]) -> [String] {
        ["/usr/bin/env"] + environment.map { "\($0.key)=\($0.value)" } + command
    }

    /// Makes a program that is started with it use this clock.
    var environment: [String: String] { ["LD_PRELOAD": library, "FAKE_CLOCK": file] }

    /// Compiles the library.
    ///
    /// - Returns: its path.
    /// - Throws: `ChaosError` when clang, which is a part of Swift's toolchain, does not compile it.
    static func build(in directory: String) async throws -> String {
        let (text, library) = (directory + "/clock.c", directory + "/clock.so")
        try source.write(toFile: text, atomically: true, encoding: .utf8)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let status = try await ChildProgram(
            ["/usr/bin/env", "clang", "-shared", "-fPIC", "-O1", "-o", library, text], log: directory + "/clock.log",
            environment: ["PATH": path]
        ).ended
        guard status == 0 else {
            throw ChaosError("clang cannot compile a clock for faults; it belongs to Swift: see \(directory)/clock.log")
        }
        return library
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static volatile const int64_t *nanoseconds;

        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("FAKE_CLOCK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0) return;
            void *mapped = mmap(NULL, sizeof *nanoseconds, PROT_READ, MAP_SHARED, file, 0);
            if (mapped != MAP_FAILED) nanoseconds = mapped;
            close(file);
        }

        int clock_gettime(clockid_t clock, struct timespec *now) {
            long code = syscall(SYS_clock_gettime, clock, now);
            if (code == 0 && nanoseconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
                int64_t all = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + *nanoseconds;
                now->tv_sec = all / 1000000000;
                now->tv_nsec = all % 1000000000;
            }
            return (int)code;
        }

        int gettimeofday(struct timeval *now, void *zone) {
            struct timespec time;
            (void)zone;
            if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
            now->tv_sec = time.tv_sec;
            now->tv_usec = time.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *out) {
            struct timespec now;
            if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
            if (out) *out = now.tv_sec;
            return now.tv_sec;
        }
        """
}
