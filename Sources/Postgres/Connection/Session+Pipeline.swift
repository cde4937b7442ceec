import CLibpq

extension Session {
    /// Sends several statements at once: to the server they are one transaction, which ends behind the last of them (PostgreSQL's
    /// documentation, "Pipeline Mode"). The first error ends it.
    ///
    /// - Returns: the rows of the last one.
    func pipelined(
        _ statements: [Statement], preparing: Bool, _ staleness: inout Staleness
    ) throws(DatabaseError) -> Rows {
        var rows: Rows?
        var failure: DatabaseError?
        guard let steps = send(statements, preparing: preparing), let last = statements.last else {
            // What was sent of it has no end, so nothing answers it.
            defer { isCut = true }
            return try checked(nil, statements[0].doing, statements[0].sql.text, &staleness)
        }
        for step in steps where failure == nil {
            let statement = step.statement
            do throws(DatabaseError) {
                rows = try checked(nextResult(), statement.doing, statement.sql.text, &staleness)
                if let name = step.prepares { prepared.remember(name, for: statement.key) }
            } catch {
                failure = error
            }
        }
        leavePipeline()
        if let failure { throw failure }
        guard let rows = rows.take() else { return try checked(nil, last.doing, last.sql.text, &staleness) }
        return rows
    }

    /// What one result answers.
    private struct Step {
        let statement: Statement
        /// The name under which it is prepared; nil: it is executed.
        var prepares: String?
    }

    /// - Returns: nil: libpq refused it, or the connection is lost.
    private func send(_ statements: [Statement], preparing: Bool) -> [Step]? {
        guard PQenterPipelineMode(raw) == 1 else { return nil }
        var steps: [Step] = []
        for statement in statements {
            let (sql, key) = (statement.sql, statement.key)
            let name = preparing ? prepared.name(for: key) : nil
            if let (name, isNew) = name, isNew {
                guard PQsendPrepare(raw, name, key.text, Int32(key.types.count), key.types) == 1 else { return nil }
                steps.append(Step(statement: statement, prepares: name))
            }
            let isSent = sql.parameters.withPointers { count, values, lengths, formats in
                if let (name, _) = name { return PQsendQueryPrepared(raw, name, count, values, lengths, formats, 1) }
                return PQsendQueryParams(raw, sql.text, count, key.types, values, lengths, formats, 1)
            }
            guard isSent == 1 else { return nil }
            steps.append(Step(statement: statement))
        }
        return PQpipelineSync(raw) == 1 ? steps : nil
    }

    /// Between the results of two statements stands a nil.
    private func nextResult() -> OpaquePointer? { PQgetResult(raw) ?? PQgetResult(raw) }

    /// Takes what is left. A pipeline that does not end here leaves a session that cannot be used again.
    private func leavePipeline() {
        while !isBroken, let result = nextResult() {
            let isEnd = PQresultStatus(result) == PGRES_PIPELINE_SYNC
            PQclear(result)
            if isEnd { break }
        }
        if PQexitPipelineMode(raw) != 1 { isCut = true }
    }
}
