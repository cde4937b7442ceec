import Concurrency
import Logging
import PushWorker
import Signing

/// Logs that a hub's client certificate ends soon, once a day: renewing one takes a person at Apple's pages.
struct CertificateDuty: Sendable {
    /// When each certificate ends, by hub: seconds since 1970.
    let ends: [String: Int64]
    let log: Logger
    var clock: @Sendable () -> Double = Clock.system.wall

    private static let day = 86_400.0

    /// Works until its task is cancelled.
    func run() async {
        while !ends.isEmpty, !Task.isCancelled {
            look()
            await Sleep.system(Self.day)
        }
    }

    func look() {
        for (hub, words) in due {
            log.warning(
                "\(words): make a new one in the Apple developer account, and reload", metadata: ["hub": "\(hub)"])
        }
    }

    /// What there is to say today, hub by hub.
    var due: [(hub: String, words: String)] {
        let now = clock()
        return ends.sorted { $0.key < $1.key }.compactMap { hub, end in
            CertificateEnd(at: end).words(now: now).map { (hub, $0) }
        }
    }
}
