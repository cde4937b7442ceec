/// How far an action on all that match has come, between two steps. Pure.
struct SelectionMark: Equatable {
    /// Which of its statuses is looked for, from 0.
    var phase = 0
    /// Below which id the next step looks.
    var before: Int64
    /// Messages that matched and stayed as they were.
    var left: Int64 = 0

    init(before: Int64) { self.before = before }

    /// - Parameter text: nil, or not one of ours: from the beginning.
    /// - Parameter newest: the highest id that belongs to it.
    init(_ text: String?, newest: Int64) {
        self.init(before: newest == .max ? .max : newest + 1)
        let numbers = (text ?? "").split(separator: "/").compactMap { Int64($0) }
        guard numbers.count == 3 else { return }
        (phase, before, left) = (Int(clamping: numbers[0]), numbers[1], numbers[2])
    }

    var text: String { "\(phase)/\(before)/\(left)" }
}
