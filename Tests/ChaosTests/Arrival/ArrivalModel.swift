/// How results get their order (`push_internal.next_arrival`) and how a reader in that order knows how far it may go
/// (`push_internal.highest_settled_arrival`), as steps between states: writers, a reader that sees all, and a stranger
/// who takes what locks he may.
///
/// `pg_locks` is read in two steps, because it is no snapshot: locks of tables by the fast path first, all others then.
struct ArrivalModel {
    /// As built, and with one part removed.
    enum Variant: CaseIterable {
        case asBuilt
        /// A number is taken before it is announced.
        case announcesLate
        /// The table's lock, which shows that an announcement is no stranger's, is taken after the number.
        case showsLate
        /// The reader reads the sequence after the locks.
        case readsHeadLast
        /// The reader goes by sessions; a prepared transaction has none.
        case goesBySession
        /// The reader takes everybody's advisory locks for announcements.
        case believesStrangers
        /// A writer has one key for its announcement, and waits for it.
        case waitsForItsKey
    }

    enum Writer: Hashable {
        case idle
        /// Has the lock of the table.
        case shown
        /// Will get a number above this one.
        case announced(Int)
        case numbered(above: Int, Int)
        /// Numbered, and without the lock of the table.
        case hidden(above: Int, Int)
        case prepared(above: Int, Int)
        case ended

        var announces: Int? {
            switch self {
            case .announced(let number), .numbered(let number, _), .hidden(let number, _), .prepared(let number, _):
                number
            default: nil
            }
        }

        var isShown: Bool { self != .idle && self != .ended }
    }

    enum Reader: Hashable {
        case idle
        case head(Int)
        /// Which writers it saw the table's lock of.
        case half(head: Int?, shown: Set<Int>)
    }

    struct State: Hashable {
        /// Of the sequence.
        var last = 0
        var writers: [Writer]
        var reader = Reader.idle
        /// Every result up to this one was read.
        var mark = 0
        /// The number whose usual key the stranger holds alone; it is an announcement of that number, too, to who believes it.
        var stranger: Int?
    }

    typealias Step = (state: State, broken: String?)

    let variant: Variant

    func steps(from state: State) -> [Step] {
        var steps: [Step] = []
        func add(_ broken: String? = nil, _ body: (inout State) -> Void) {
            var next = state
            body(&next)
            steps.append((next, broken))
        }
        for number in 0...state.last where state.stranger == nil { add { $0.stranger = number } }
        for (index, writer) in state.writers.enumerated() { steps += self.steps(of: index, writer, in: state) }
        switch state.reader {
        case .idle:
            if variant == .readsHeadLast {
                add { $0.reader = .half(head: nil, shown: shown(state)) }
            } else {
                add { $0.reader = .head(state.last) }
            }
        case .head(let head): add { $0.reader = .half(head: head, shown: shown(state)) }
        case .half(let head, let shown):
            let horizon = horizon(head ?? state.last, shown, state)
            let isQuiet = state.writers.allSatisfy { !$0.isShown } && head == state.last
            add(isQuiet && horizon < state.last ? "a stranger holds a reader back" : nil) {
                $0.reader = .idle
                $0.mark = max($0.mark, horizon)
            }
        }
        return steps
    }

    private func steps(of index: Int, _ writer: Writer, in state: State) -> [Step] {
        func step(_ to: Writer, takes: Bool = false, broken: String? = nil) -> Step {
            var next = state
            next.writers[index] = to
            if takes { next.last += 1 }
            return (next, broken)
        }
        /// What a reader never comes back to is lost.
        func end(_ number: Int) -> [Step] {
            let isMissed = number <= state.mark
            return [step(.ended, broken: isMissed ? "a result is passed over" : nil), step(.ended)]
        }
        let number = state.last + 1
        switch writer {
        case .idle:
            if variant == .showsLate { return [announce(index, in: state)] }
            if variant == .announcesLate { return [step(.numbered(above: .max, number), takes: true)] }
            return [step(.shown)]
        case .shown: return [announce(index, in: state)]
        case .announced(let above):
            let isHidden = variant == .showsLate
            return [step(isHidden ? .hidden(above: above, number) : .numbered(above: above, number), takes: true)]
        case .hidden(let above, let own): return [step(.numbered(above: above, own))]
        case .numbered(.max, let own): return [step(.numbered(above: own - 1, own))]
        case .numbered(let above, let own): return end(own) + [step(.prepared(above: above, own))]
        case .prepared(_, let own): return end(own)
        case .ended: return []
        }
    }

    private func announce(_ index: Int, in state: State) -> Step {
        var next = state
        next.writers[index] = .announced(state.last)
        let waits = variant == .waitsForItsKey && state.stranger == state.last
        return (next, waits ? "a stranger holds a writer up" : nil)
    }

    private func shown(_ state: State) -> Set<Int> {
        Set(state.writers.indices.filter { isShown(state.writers[$0]) })
    }

    private func isShown(_ writer: Writer) -> Bool {
        switch writer {
        case .announced: variant != .showsLate
        case .hidden: false
        case .prepared: variant != .goesBySession
        default: writer.isShown
        }
    }

    private func horizon(_ head: Int, _ shown: Set<Int>, _ state: State) -> Int {
        let announced = state.writers.enumerated().compactMap { index, writer in
            shown.contains(index) ? writer.announces : nil
        }
        let believed = variant == .believesStrangers ? [state.stranger].compactMap(\.self) : []
        return (announced + believed).reduce(head, min)
    }
}
