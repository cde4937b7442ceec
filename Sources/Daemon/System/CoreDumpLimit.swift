import Glibc

/// Core dumps hold every key and token the process has, and lie in a directory or with a service that keeps them.
public enum CoreDumpLimit {
    /// No core dump of this process will be written, whatever its limits were; nor of those it starts.
    ///
    /// The limit becomes 1 byte and not 0, because 1 is what the kernel takes for "neither as a file nor to a program"
    /// (fs/coredump.c): at 0, `systemd-coredump` and its like would still be handed one.
    public static func forbid() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }  // fails for a limit that does not exist, only
        let least = min(1, limit.rlim_max)
        limit = rlimit(rlim_cur: least, rlim_max: least)
        setrlimit(resource, &limit)  // lowering a limit is always allowed
    }
}
