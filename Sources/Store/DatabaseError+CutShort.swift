import Postgres

extension DatabaseError {
    /// The same with the right advice, if it is the end of a time that we set ourselves for this statement.
    ///
    /// - Parameter seconds: that time.
    func cutShort(after seconds: Double) -> DatabaseError {
        guard self.is(.queryCancelled) else { return self }
        var error = self
        let limit = seconds == seconds.rounded() ? "\(Int(seconds))" : "\((seconds * 10).rounded() / 10)"
        error.hint =
            "it took longer than the \(limit) s that Fanfare gives it; statement_timeout of the role has nothing to do with it"
        return error
    }
}
