import Testing

@testable import Postgres

@Suite struct RowTests {
    /// What is wrong with reading a column of the only row; the others are skipped.
    private static func fault<T>(
        _ column: Int, _ rows: borrowing Rows, _ read: (inout Row) throws -> T
    ) -> String? {
        do {
            try rows.single { row in
                try row.skip(column - 1)
                _ = try read(&row)
                row.skipRest()
            }
            return nil
        } catch { return "\(error)" }
    }

    @Test func columnsAreReadInTheirOrder() async throws {
        try await SharedServer.withDatabase { database in
            try await database.query("SELECT 1::bigint, 'x', NULL, NULL::bigint[], now(), true") { rows in
                try rows.single { row in
                    let (number, text) = (try row.int64(), try row.string())
                    #expect((number, text) == (1, "x"))
                    let nulls = (try row.stringOrNil(), try row.int64ArrayOrNil())
                    #expect(nulls.0 == nil && nulls.1 == nil)
                    try row.skip()
                    let flag = try row.boolOrNil()
                    #expect(flag == true)
                }
            }
        }
    }

    @Test func aReadingOfAnotherTypeIsAnErrorThatNamesTheColumn() async throws {
        try await SharedServer.withDatabase { database in
            try await database.query("SELECT 'x' AS tag, NULL::bigint AS id, 70000 AS size, 1.5 AS price") { rows in
                let mismatch = "cannot read column 1 (tag): it is of type number 25 and no bigint that fits"
                #expect(Self.fault(1, rows) { try $0.int64() } == mismatch)
                #expect(Self.fault(1, rows) { try $0.int64OrNil() } == mismatch)
                #expect(
                    Self.fault(1, rows) { try $0.stringArray() }?.contains("no text[] without nulls that fits") == true)
                #expect(Self.fault(2, rows) { try $0.int64() } == "cannot read column 2 (id): it is null")
                #expect(
                    Self.fault(3, rows) { try $0.int16() }?.contains("no smallint that fits") == true, "it is too large"
                )
                #expect(Self.fault(3, rows) { try $0.int16OrNil() }?.contains("no smallint that fits") == true)
                #expect(Self.fault(3, rows) { try $0.string() }?.contains("no text that fits") == true)
                #expect(Self.fault(3, rows) { try $0.int64Array() }?.contains("no bigint[] without nulls") == true)
                #expect(
                    Self.fault(4, rows) { try $0.double() }?.contains("no double precision") == true, "it is a numeric")
                #expect(Self.fault(5, rows) { try $0.string() } == "cannot read column 5: the result has 4 columns")
                #expect(Self.fault(6, rows) { try $0.string() } == "cannot read column 5: the result has 4 columns")
            }
        }
    }

    @Test func aColumnThatIsNotReadIsAnError() async throws {
        try await SharedServer.withDatabase { database in
            let sql: SQL = "SELECT 1, 'x', true FROM generate_series(1, 2)"
            let unread = "cannot read a whole row: 1 of 3 columns were read"
            let readings: [@Sendable (borrowing Rows) throws -> Void] = [
                { rows in _ = try rows.map { row in try row.int32() } },
                { rows in _ = try rows.first { row in try row.int32() } },
                { rows in try rows.forEach { row in _ = try row.int32() } },
            ]
            for read in readings {
                let error = await #expect(throws: DatabaseError.self) { try await database.query(sql, read) }
                #expect(error?.description == unread)
            }
            let numbers = try await database.query(sql) { rows in
                try rows.map { row in
                    defer { row.skipRest() }
                    return try row.int32()
                }
            }
            #expect(numbers == [1, 1])
        }
    }

    @Test func aSingleRowIsTheOnlyOne() async throws {
        try await SharedServer.withDatabase { database in
            for (count, words) in [(0, "0 rows"), (2, "2 rows")] {
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.query("SELECT generate_series(1, \(count))") { rows in
                        try rows.single { row in try row.int32() }
                    }
                }
                #expect(error?.description == "cannot read the only row: the statement returned \(words)")
            }
        }
    }

    @Test func anArrayOfTwoDimensionsIsRefused() async throws {
        try await SharedServer.withDatabase { database in
            try await database.query("SELECT '{{1,2},{3,4}}'::int[]") { rows throws in
                #expect(throws: DatabaseError.self) { try rows.single { row in try row.int32Array() } }
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
                let texts = try rows.map { row in
                    sum += try row.int64()
                    let text = try row.string()
                    try row.skip()
                    return text
                }
                return (sum, texts)
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
        let texts = try batch.rows.map { row in try row.string() }
        #expect(texts == ["kept", "too"])
        #expect(batch.rows.affected == 2)
    }
}
