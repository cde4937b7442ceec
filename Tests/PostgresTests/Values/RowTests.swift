import Testing

@testable import Postgres

@Suite struct RowTests {
    @Test func aReadingOfAnotherTypeIsAnErrorThatNamesTheColumn() async throws {
        try await SharedServer.withDatabase { database in
            try await database.query("SELECT 'x' AS tag, NULL::bigint AS id, 70000 AS size, 1.5 AS price") {
                rows throws in
                let wrong = #expect(throws: DatabaseError.self) { try rows[0].int64(0) }
                #expect(
                    wrong?.description == "cannot read column 0 (tag): it is of type number 25 and no bigint that fits")
                let null = #expect(throws: DatabaseError.self) { try rows[0].int64(1) }
                #expect(null?.description == "cannot read column 1 (id): it is null")
                #expect(throws: DatabaseError.self) { try rows[0].int16(2) }  // does not fit
                #expect(try rows[0].int64(2) == 70_000)
                #expect(throws: DatabaseError.self) { try rows[0].double(3) }  // numeric
                #expect(throws: DatabaseError.self) { try rows[0].string(2) }
                #expect(throws: DatabaseError.self) { try rows[0].stringArray(0) }
                #expect(throws: DatabaseError.self) { try rows[0].int64Array(2) }
                #expect(throws: DatabaseError.self) { try rows[0].string(4) }  // no such column
                #expect(throws: DatabaseError.self) { try rows[0].isNull(-1) }
            }
        }
    }

    @Test func anArrayOfTwoDimensionsIsRefused() async throws {
        try await SharedServer.withDatabase { database in
            try await database.query("SELECT '{{1,2},{3,4}}'::int[]") { rows throws in
                #expect(throws: DatabaseError.self) { try rows[0].int32Array(0) }
            }
        }
    }

    @Test func thirtyThousandRowsArriveInOrder() async throws {
        try await SharedServer.withDatabase { database in
            let sql: SQL = "SELECT n, 'tag:' || n, now() FROM generate_series(1, 30000) n"
            let (sum, texts) = try await database.query(sql) { rows throws in
                #expect(rows.count == 30_000)
                #expect(rows.columns == 3)
                var sum: Int64 = 0
                try rows.forEach { row in sum += try row.int64(0) }
                return (sum, try rows.map { row in try row.string(1) })
            }
            #expect(sum == 450_015_000)
            #expect(texts == (1...30_000).map { "tag:\($0)" })
        }
    }

    @Test func rowsOutliveTheirConnection() async throws {
        final class Batch: Sendable {
            let rows: Rows
            init(_ rows: consuming Rows) { self.rows = rows }
        }
        let batch = try await SharedServer.withDatabase { database in
            Batch(try await database.rows("SELECT 'kept' UNION ALL SELECT 'too'"))
        }
        let texts = try batch.rows.map { row throws(DatabaseError) in try row.string(0) }
        #expect(texts == ["kept", "too"])
        #expect(batch.rows.affected == 2)
        #expect(throws: DatabaseError.self) { try batch.rows[0].string(1) }
    }
}
