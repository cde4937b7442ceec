// After a fault, the loops of a worker wait for their own time, or until the database is back (`waitUntilBack` of
// `Postgres.Database`).

extension Queue {
    /// - Returns: whether the database was away and is back.
    @discardableResult
    public func waitUntilBack(atMost seconds: Double) async -> Bool { await database.waitUntilBack(atMost: seconds) }
}

extension Hubs {
    /// - Returns: whether the database was away and is back.
    @discardableResult
    public func waitUntilBack(atMost seconds: Double) async -> Bool { await database.waitUntilBack(atMost: seconds) }
}

extension Workers {
    /// - Returns: whether the database was away and is back.
    @discardableResult
    public func waitUntilBack(atMost seconds: Double) async -> Bool { await database.waitUntilBack(atMost: seconds) }
}
