/// The numbers of those that have one tag or one channel. Most tags of a large hub have one holder, and a set of one
/// would cost ten times the number.
enum PostingSet: Sendable {
    case one(UInt32)
    case some(Set<UInt32>)

    var count: Int {
        switch self {
        case .one: 1
        case .some(let numbers): numbers.count
        }
    }

    func add(to found: inout Set<UInt32>) {
        switch self {
        case .one(let number): found.insert(number)
        case .some(let numbers): found.formUnion(numbers)
        }
    }
}

extension [String: PostingSet] {
    mutating func insert(_ number: UInt32, under key: String) {
        // In one step, so that a large set is changed where it lies and not copied.
        guard let index = index(forKey: key) else {
            self[key] = .one(number)
            return
        }
        values[index].insert(number)
    }

    mutating func remove(_ number: UInt32, under key: String) {
        guard let index = index(forKey: key) else { return }
        if values[index].remove(number) { remove(at: index) }
    }
}

extension PostingSet {
    fileprivate mutating func insert(_ number: UInt32) {
        switch self {
        case .one(let other):
            if other != number { self = .some([other, number]) }
        case .some(var numbers):
            self = .one(number)  // gives up the set's second owner
            numbers.insert(number)
            self = .some(numbers)
        }
    }

    /// - Returns: whether none is left.
    fileprivate mutating func remove(_ number: UInt32) -> Bool {
        switch self {
        case .one(let other): return other == number
        case .some(var numbers):
            self = .one(number)
            numbers.remove(number)
            self = .some(numbers)
            return numbers.isEmpty
        }
    }
}
