import Logging
import Store
import PushModel
import Synchronization

/// Learns which templates devices have, from their newest changes: backends that register by SQL need to do nothing.
final class TemplateDuty: Sendable {
    private let templates: DeviceTemplates
    private let log: Logger
    /// The newest change that was looked at.
    private let mark = Mutex<Int64>(0)

    init(templates: DeviceTemplates, log: Logger) {
        self.templates = templates
        self.log = log
    }

    /// Reads nothing more when no device has changed since the last look.
    func look() async throws {
        let changes = try await templates.newestChanges(behind: mark.withLock { $0 })
        guard let newest = changes.last?.id else { return }
        var written: Int32 = 0
        for (hub, census) in TemplateCensus.counting(changes).sorted(by: { $0.key < $1.key }) {
            // Another worker is at it: next time.
            guard let changed = try await templates.keep(census, at: hub) else { continue }
            written += changed
        }
        mark.withLock { $0 = newest }
        if written > 0 {
            log.debug("learned templates of devices", metadata: ["count": .stringConvertible(written)])
        }
    }
}
