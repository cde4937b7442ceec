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
        /// By `RunContent.id`: the streams of a run share one content.
        var kept: [Int64: Kept] = [:]
        /// By `Message.stream`.
        var contentOf: [Int64: Int64] = [:]
        var uses = 0
    }

    private let state = Mutex(State())

    /// What the runs of these messages say. Asks the database only for those that are not kept.
    ///
    /// - Returns: by stream; without those that do not exist any more.
    func contents(
        of messages: [Message], from queue: Queue
    ) async throws(DatabaseError) -> [Int64: RunContent] {
        var streams: Set<Int64> = []
        for message in messages {
            if let stream = message.stream { streams.insert(stream) }
        }
        if streams.isEmpty { return [:] }
        var found = take(streams)
        let missing = streams.subtracting(found.keys)
        if missing.isEmpty { return found }
        for (stream, content) in try await queue.runContents(of: Array(missing)) {
            found[stream] = content
            keep(content, of: stream)
        }
        return found
    }

    private func take(_ streams: Set<Int64>) -> [Int64: RunContent] {
        state.withLock { state in
            state.uses += 1
            var found: [Int64: RunContent] = [:]
            for stream in streams {
                guard let id = state.contentOf[stream], let kept = state.kept[id] else { continue }
                state.kept[id]?.usedAt = state.uses
                found[stream] = kept.content
            }
            return found
        }
    }

    private func keep(_ content: RunContent, of stream: Int64) {
        state.withLock { state in
            state.contentOf[stream] = content.id
            state.kept[content.id] = Kept(content: content, usedAt: state.uses)
            guard state.kept.count > Self.limit,
                let oldest = state.kept.min(by: { $0.value.usedAt < $1.value.usedAt })
            else { return }
            state.kept[oldest.key] = nil
            state.contentOf = state.contentOf.filter { $0.value != oldest.key }
        }
    }
}
