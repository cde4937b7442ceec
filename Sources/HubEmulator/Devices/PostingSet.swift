/// The numbers of the devices with one tag or one channel. Most tags of a large hub have one device, and a set of one
/// costs ten times as much as a number.
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
        // In place, so that a large set is not copied.
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
            self = .one(number)  // releases the set's second owner
            numbers.insert(number)
            self = .some(numbers)
        }
    }

    /// - Returns: whether the set is empty now.
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
