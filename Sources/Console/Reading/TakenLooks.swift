import Synchronization

/// The looks that one page was made of.
final class TakenLooks: Sendable {
    private let state = Mutex<[Looks.Taken]?>([])

    /// - Parameter taken: nil: there was no answer in time, so the page may be another one at once.
    func add(_ taken: Looks.Taken?) {
        state.withLock { all in
            if let taken { all?.append(taken) } else { all = nil }
        }
    }

    /// Nil: the page has more in it than looks, or a part of it is missing.
    var all: [Looks.Taken]? { state.withLock { $0?.isEmpty == true ? nil : $0 } }
}
