import Glibc

/// The limit of open files of this process.
enum DescriptorLimit {
    /// Descriptors for the rest of the process: database, health server, log, and two for each name lookup under way.
    static let reserve = 256

    /// Raises the soft limit, if it is lower, to what `connections` need.
    ///
    /// - Throws: when the hard limit does not allow it. Otherwise requests would fail later without a visible reason.
    static func ensure(connections: Int) throws(TransportError) {
        let needed = rlim_t(connections + reserve)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw TransportError(doing: "cannot read the limit of open files", code: errno, text: errorText(errno))
        }
        guard limit.rlim_cur < needed else { return }
        guard limit.rlim_max >= needed else {
            throw TransportError(
                doing: "cannot start the transport", code: 0,
                text: "slots need \(needed) open files (two connections each and \(reserve) for the rest), "
                    + "the hard limit is \(limit.rlim_max): lower slots or raise the limit")
        }
        limit.rlim_cur = needed
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw TransportError(
                doing: "cannot raise the limit of open files to \(needed)", code: errno, text: errorText(errno))
        }
    }
}

/// The system's text for an errno.
func errorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}
