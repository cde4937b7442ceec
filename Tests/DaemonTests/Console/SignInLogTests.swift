import Console
import Logging
import Synchronization
import Testing

@testable import Daemon

@Suite struct SignInLogTests {
    private let recorded = RecordedLog()

    private func log(now: @escaping @Sendable () -> Double = { 0 }) -> SignInLog {
        let recorded = recorded
        return SignInLog(Logger(label: "console") { _ in recorded }, now: now)
    }

    @Test func eachPasswordIsALine() {
        let log = log()
        log.note(SignInEvent(.signedIn, name: "ann", address: "10.0.0.7"))
        log.note(SignInEvent(.wrong, name: "eve", address: nil))
        log.note(SignInEvent(.wrong, name: "eve", address: nil))
        #expect(
            recorded.lines == [
                "info signed in to the console from=10.0.0.7 person=ann",
                "warning a sign-in to the console failed: no user has this name and this password from=unknown person=eve",
                "warning a sign-in to the console failed: no user has this name and this password from=unknown person=eve",
            ])
    }

    @Test func anAddressThatHasToWaitIsALineAMinute() {
        let time = Mutex(0.0)
        let log = log(now: { time.withLock { $0 } })
        for second in [0.0, 1, 59, 61] {
            time.withLock { $0 = second }
            for address in ["10.0.0.7", "10.0.0.8"] { log.note(SignInEvent(.tooOften, name: "eve", address: address)) }
        }
        #expect(
            recorded.lines == [
                "warning too many wrong passwords for the console; this address has to wait from=10.0.0.7 person=eve",
                "warning too many wrong passwords for the console; this address has to wait from=10.0.0.8 person=eve",
                "warning too many wrong passwords for the console; this address has to wait from=10.0.0.7 person=eve repeated=2",
                "warning too many wrong passwords for the console; this address has to wait from=10.0.0.8 person=eve repeated=2",
            ])
    }

    /// Keeps lines, with their members by name.
    private struct RecordedLog: LogHandler {
        private final class Storage: Sendable { let lines = Mutex<[String]>([]) }
        private let storage = Storage()
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        var lines: [String] { storage.lines.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let members = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            storage.lines.withLock { $0.append("\(event.level) \(event.message)\(members)") }
        }
    }
}
