import Store

extension PeekedClaim {
    /// The same with numbers of rows of a file in place of ids. Pure.
    ///
    /// - Parameter first: the number of the first row of each line, by the id of its message. The other rows of a line, its
    ///   translations, come behind it. A message that was in the table before gets its id with a minus.
    func numbered(by first: [Int64: Int64]) -> PeekedClaim {
        var numbers = first
        var counts: [Int64: Int64] = [:]
        for message in messages.sorted(by: { $0.id < $1.id }) where first[message.id] == nil {
            guard let lead = first[message.lead] else { continue }
            counts[lead, default: 0] += 1
            numbers[message.id] = lead + (counts[lead] ?? 0)
        }
        let number = { (id: Int64) in numbers[id] ?? -id }
        var claim = self
        for index in claim.messages.indices {
            claim.messages[index].id = number(claim.messages[index].id)
            claim.messages[index].lead = number(claim.messages[index].lead)
        }
        for index in claim.ended.indices { claim.ended[index].message = number(claim.ended[index].message) }
        return claim
    }
}
