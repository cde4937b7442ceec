import Store

extension PeekedClaim {
    /// The same with numbers of rows of a file in place of ids. Pure.
    ///
    /// Translations whose ids the rows do not know come behind the first row of their line. A message that was in the table
    /// before gets its id with a minus.
    func numbered(by rows: FileRows) -> PeekedClaim {
        var unknown: [Int64: Int64] = [:]
        var counts: [Int64: Int64] = [:]
        for message in messages.sorted(by: { $0.id < $1.id }) where rows.number(of: message.id) == nil {
            guard let lead = rows.number(of: message.lead) else { continue }
            counts[lead, default: 0] += 1
            unknown[message.id] = lead + (counts[lead] ?? 0)
        }
        let number = { (id: Int64) in rows.number(of: id) ?? unknown[id] ?? -id }
        var claim = self
        for index in claim.messages.indices {
            claim.messages[index].id = number(claim.messages[index].id)
            claim.messages[index].lead = number(claim.messages[index].lead)
        }
        for index in claim.ended.indices { claim.ended[index].message = number(claim.ended[index].message) }
        return claim
    }

    /// How many rows of the file it has, after `numbered`.
    var rowsOfFile: Int { messages.count { $0.id > 0 } + ended.count { $0.message > 0 } }
}
