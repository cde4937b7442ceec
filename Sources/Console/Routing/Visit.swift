import Pages

/// One look at one page: who looks, when, and at which console. All that a view may need besides its rows.
struct Visit: Sendable {
    var person: Person
    var options: ConsoleOptions
    /// Seconds since 1970.
    var now: Double
    /// Of the address, as received, without the question mark. Default: none.
    var query = ""

    /// The address of a page of this console.
    ///
    /// - Parameters:
    ///   - path: its segments, as they are: `address("hubs", name)`.
    ///   - fields: of the query; those without a value are left out.
    func address(_ path: String..., fields: [(String, String?)] = []) -> String {
        ConsoleAddress.text(base: options.basePath, path, fields)
    }

    /// Whether the person can do here what one of the rights is for.
    func canAct(_ rights: [Right]) -> Bool { !options.isReadOnly && person.first(of: rights) != nil }

    func canAct(_ right: Right) -> Bool { canAct([right]) }
}
