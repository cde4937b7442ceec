import Synchronization

/// Requests submitted together, and the receiver of their replies.
struct Batch: Sendable {
    fileprivate(set) var requests: [Request]
    let recipient: Recipient

    init(requests: [Request], recipient: Recipient) {
        self.requests = requests
        self.recipient = recipient
    }
}

enum Recipient: Sendable {
    case channel(RequestChannel)
    case pending(PendingReply)
}

/// A caller that waits for the reply to one request. The first answer counts; later ones are dropped.
final class PendingReply: Sendable {
    let id: Int64
    private let waiting = Mutex<CheckedContinuation<Reply, Never>?>(nil)

    init(id: Int64) {
        self.id = id
    }

    func arm(_ continuation: CheckedContinuation<Reply, Never>) {
        waiting.withLock { $0 = continuation }
    }

    var isAnswered: Bool { waiting.withLock { $0 == nil } }

    /// - Returns: false when it has been answered before.
    @discardableResult
    func answer(_ reply: Reply) -> Bool {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: reply)
        return continuation != nil
    }
}

/// Batches that wait for a slot, first come first served.
struct RequestQueue {
    private var batches: [Batch] = []
    private var batch = 0
    private var item = 0
    private(set) var count = 0

    mutating func add(_ more: [Batch]) {
        batches.append(contentsOf: more)
        for batch in more { count += batch.requests.count }
    }

    var first: (request: Request, recipient: Recipient)? {
        count == 0 ? nil : (batches[batch].requests[item], batches[batch].recipient)
    }

    mutating func removeFirst() {
        count -= 1
        item += 1
        if item == batches[batch].requests.count {
            // Not kept until the queue is empty, which it may never be.
            batches[batch].requests = []
            item = 0
            batch += 1
        }
        guard batch == batches.count || batch >= 1024 else { return }
        batches.removeFirst(batch)
        batch = 0
    }
}
