import Logging
import PushModel
import Synchronization

/// The warnings so far. Each is logged when it first occurs, and counted from then on.
final class WarningLog: Sendable {
    private struct Key: Hashable {
        let kind: EmulatorWarning.Kind
        let hub: String
        let subject: String
    }

    private struct State {
        var order: [Key] = []
        var warnings: [Key: EmulatorWarning] = [:]
        var overflow = 0
    }

    /// Different warnings kept: a load test with a million unknown tags must not fill the memory.
    static let limit = 1_000

    private let state = Mutex(State())
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// - Parameter text: evaluated only when the warning is new.
    func add(_ kind: EmulatorWarning.Kind, hub: String, subject: String = "", _ text: @autoclosure () -> String) {
        let key = Key(kind: kind, hub: hub, subject: subject)
        let first: EmulatorWarning? = state.withLock { state in
            if state.warnings[key] != nil {
                state.warnings[key]?.count += 1
                return nil
            }
            guard state.order.count < Self.limit else {
                state.overflow += 1
                return nil
            }
            let warning = EmulatorWarning(kind: kind, hub: hub, subject: subject, text: text(), count: 1)
            state.order.append(key)
            state.warnings[key] = warning
            return warning
        }
        if let first {
            logger.warning("\(first.text)", metadata: ["hub": "\(hub)", "kind": "\(kind.rawValue)"])
        }
    }

    /// What lint says, too.
    ///
    /// - Parameter finding: evaluated only when the warning is new.
    func add(
        _ kind: EmulatorWarning.Kind, hub: String, subject: String, lint finding: @autoclosure () -> LintFinding
    ) {
        add(kind, hub: hub, subject: subject, finding().line)
    }

    /// In the order of their first occurrence.
    var all: [EmulatorWarning] {
        state.withLock { state in state.order.compactMap { state.warnings[$0] } }
    }

    /// All occurrences, including those of warnings beyond the limit.
    var total: Int {
        state.withLock { state in state.warnings.values.reduce(state.overflow) { $0 + $1.count } }
    }

    func clear() { state.withLock { $0 = State() } }
}
