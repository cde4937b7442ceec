import Postgres
import PushModel
import Store
import Synchronization

/// What runs say, kept by use: a campaign's messages come by the thousand and name the same content.
final class RunContents: Sendable {
    /// How many are kept. A worker rarely sends more campaigns at once, and a content has up to 64 kB.
    static let limit = 64

    private struct Kept {
        var content: RunContent
        var usedAt: Int
    }

    private struct State {
        var kept: [Int64: Kept] = [:]
        var uses = 0
    }

    private let state = Mutex(State())

    /// What the runs of these messages say. Asks the database only for those that are not kept.
    ///
    /// - Returns: by id; without those that do not exist any more.
    func contents(
        of messages: [Message], from queue: Queue
    ) async throws(DatabaseError) -> [Int64: RunContent] {
        var ids: Set<Int64> = []
        for message in messages {
            if let id = message.runContent { ids.insert(id) }
        }
        if ids.isEmpty { return [:] }
        var found = take(ids)
        let missing = ids.subtracting(found.keys)
        if missing.isEmpty { return found }
        for content in try await queue.runContents(Array(missing)) {
            found[content.id] = content
            keep(content)
        }
        return found
    }

    private func take(_ ids: Set<Int64>) -> [Int64: RunContent] {
        state.withLock { state in
            state.uses += 1
            var found: [Int64: RunContent] = [:]
            for id in ids {
                guard let kept = state.kept[id] else { continue }
                state.kept[id]?.usedAt = state.uses
                found[id] = kept.content
            }
            return found
        }
    }

    private func keep(_ content: RunContent) {
        state.withLock { state in
            state.kept[content.id] = Kept(content: content, usedAt: state.uses)
            guard state.kept.count > Self.limit,
                let oldest = state.kept.min(by: { $0.value.usedAt < $1.value.usedAt })
            else { return }
            state.kept[oldest.key] = nil
        }
    }
}
