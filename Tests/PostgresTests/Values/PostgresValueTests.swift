import Testing

@testable import Postgres

/// Values come back unchanged, and the server reads them the same.
@Suite struct PostgresValueTests {
    @Test func numbersComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            for value in [Int16.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0[0].int16(0) } == value)
            }
            for value in [Int32.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0[0].int32(0) } == value)
            }
            for value in [Int64.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0[0].int64(0) } == value)
                let text = try await database.query("SELECT \(value)::text, \(Int(value))::text") { rows throws in
                    [try rows[0].string(0), try rows[0].string(1)]
                }
                #expect(text == ["\(value)", "\(value)"])
            }
            for value in [-Double.infinity, -0.1, 0, 1e-300, .pi, .greatestFiniteMagnitude, .infinity] {
                #expect(try await database.query("SELECT \(value)") { try $0[0].double(0) } == value)
            }
            #expect(try await database.query("SELECT \(Double.nan), 0.5::real") { try $0[0].double(0) }.isNaN)
            #expect(try await database.query("SELECT 0.5::real") { try $0[0].double(0) } == 0.5)
            #expect(
                try await database.query("SELECT \(true), \(false)") { try [$0[0].bool(0), $0[0].bool(1)] } == [
                    true, false,
                ])
        }
    }

    @Test(arguments: [
        "", " ", "it's \"quoted\" \\ $1", "Zürich 東京 \u{1F4F1}\u{200D} e\u{301}",
        String(repeating: "ü", count: 100_000),
    ])
    func textsComeBackByteForByte(text: String) async throws {
        try await SharedServer.withDatabase { database async throws in
            let (back, size, bytes) = try await database.query("SELECT \(text), octet_length(\(text))") { rows throws in
                (try rows[0].string(0), try rows[0].int32(1), try rows[0].bytes(0))
            }
            #expect(Array(back.utf8) == Array(text.utf8))
            #expect(bytes == Array(text.utf8))
            #expect(Int(size) == text.utf8.count)
        }
    }

    @Test func aTextWithANulIsRefusedAndNotTruncated() async throws {
        try await SharedServer.withDatabase { database async throws in
            let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT \("a\0b")") }
            #expect(error?.sqlState == "22021")
        }
    }

    @Test func bytesComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            for value in [[], [0], Array(0...255)] as [[UInt8]] {
                #expect(try await database.query("SELECT \(value)") { try $0[0].bytes(0) } == value)
                let lent = try await database.query("SELECT \(value)") { try $0[0].withBytes(0) { Array($0) } }
                #expect(lent == value)
            }
        }
    }

    @Test func timestampsAtTheEndsOfTheTypeComeBack() async throws {
        // 4713 BC and 294276 AD are the ends of the type.
        let ends = [
            Timestamp(microseconds: -211_813_488_000_000_000), Timestamp(microseconds: 9_223_371_331_199_999_999),
        ]
        let others = [
            .negativeInfinity, .infinity, Timestamp(microseconds: 0), Timestamp(secondsSince1970: 1_700_000_000.123456),
        ]
        try await SharedServer.withDatabase { database async throws in
            for value in ends + others {
                #expect(try await database.query("SELECT \(value)") { try $0[0].timestamp(0) } == value)
            }
            let seen = try await database.query(
                "SELECT extract(epoch FROM \(others[3]))::text, \(Timestamp.negativeInfinity)::text, to_timestamp(0)"
            ) { rows in (try rows[0].string(0), try rows[0].string(1), try rows[0].timestamp(2).secondsSince1970) }
            #expect(seen == ("1700000000.123456", "-infinity", 0))
        }
    }

    @Test func nullsComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = """
                SELECT \(nil as Int16?), \(nil as Int32?), \(nil as Int64?), \(nil as Bool?), \(nil as Double?),
                       \(nil as String?), \(nil as Timestamp?), \(nil as [UInt8]?), \(nil as [Int64]?), \("x" as String?)
                """
            try await database.query(sql) { rows throws in
                let row = try rows.first { row in
                    for column in 0..<9 { #expect(try row.isNull(column)) }
                    #expect(try row.int16OrNil(0) == nil)
                    #expect(try row.int32OrNil(1) == nil)
                    #expect(try row.int64OrNil(2) == nil)
                    #expect(try row.boolOrNil(3) == nil)
                    #expect(try row.doubleOrNil(4) == nil)
                    #expect(try row.stringOrNil(5) == nil)
                    #expect(try row.timestampOrNil(6) == nil)
                    #expect(try row.bytesOrNil(7) == nil)
                    return try row.stringOrNil(9)
                }
                #expect(row == "x")
            }
        }
    }

    @Test func arraysComeBack() async throws {
        let small: [Int16] = [.min, 0, .max]
        let middle: [Int32] = [.min, 0, .max]
        let large: [Int64] = [.min, 0, .max]
        let texts = ["", "a,b", "{\"}", "NULL", "東京"]
        let doubles = [0.5, -.infinity]
        let times = [Timestamp.negativeInfinity, Timestamp(microseconds: 1)]
        let bytes: [[UInt8]] = [[], [0, 255]]
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = """
                SELECT \(small), \(middle), \(large), \(texts), \(doubles), \([true, false]), \(times), \(bytes),
                       \(large)::text, \(texts)::text, \([1, 2])::text
                """
            try await database.query(sql) { rows throws in
                #expect(try rows[0].int16Array(0) == small)
                #expect(try rows[0].int32Array(1) == middle)
                #expect(try rows[0].int64Array(2) == large)
                #expect(try rows[0].stringArray(3) == texts)
                #expect(try rows[0].doubleArray(4) == doubles)
                #expect(try rows[0].boolArray(5) == [true, false])
                #expect(try rows[0].timestampArray(6) == times)
                #expect(try rows[0].bytesArray(7) == bytes)
                #expect(try rows[0].string(8) == "{-9223372036854775808,0,9223372036854775807}")
                #expect(try rows[0].string(9) == #"{"","a,b","{\"}","NULL",東京}"#)
                #expect(try rows[0].string(10) == "{1,2}")
            }
        }
    }

    @Test func emptyArraysComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = "SELECT \([Int64]()), \([String]()), \([String?]()), cardinality(\([Int16]()))"
            try await database.query(sql) { rows throws in
                #expect(try rows[0].int64Array(0) == [])
                #expect(try rows[0].stringArray(1) == [])
                #expect(try rows[0].stringOrNilArray(2) == [])
                #expect(try rows[0].int32(3) == 0)
            }
        }
    }

    @Test func nullsInsideArraysComeBack() async throws {
        let texts: [String?] = [nil, "", "x", nil]
        let numbers: [Int64?] = [1, nil]
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = """
                SELECT \(texts), \(numbers), \(texts)::text, \([nil, true] as [Bool?])::text, \([nil, [1]] as [[UInt8]?])::text
                """
            try await database.query(sql) { rows throws in
                #expect(try rows[0].stringOrNilArray(0) == texts)
                #expect(try rows[0].int64OrNilArray(1) == numbers)
                #expect(try rows[0].string(2) == #"{NULL,"",x,NULL}"#)
                #expect(try rows[0].string(3) == "{NULL,t}")
                #expect(try rows[0].string(4) == #"{NULL,"\\x01"}"#)
                #expect(throws: DatabaseError.self) { try rows[0].stringArray(0) }
                #expect(throws: DatabaseError.self) { try rows[0].int64Array(1) }
            }
        }
    }

    @Test func arraysUnnestSideBySide() async throws {
        let ids: [Int64] = Array(1...1000)
        let words = ids.map { $0 % 3 == 0 ? nil : "w\($0)" }
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = "SELECT id, word FROM unnest(\(ids), \(words)) AS u(id, word) ORDER BY id"
            let back = try await database.query(sql) { rows throws in
                try rows.map { row in (try row.int64(0), try row.stringOrNil(1)) }
            }
            #expect(back.map(\.0) == ids)
            #expect(back.map(\.1) == words)
        }
    }

    @Test func enumsAndDocumentsAreTexts() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.script("CREATE TYPE mood AS ENUM ('calm', 'tense')")
            let sql: SQL = """
                SELECT \("calm")::mood, \(["tense", "calm"])::text[]::mood[], \("{\"a\": 1}")::json, \("{\"a\": 1}")::jsonb,
                       'n'::name, 'v'::varchar(3)
                """
            try await database.query(sql) { rows throws in
                #expect(try rows[0].string(0) == "calm")
                #expect(try rows[0].stringArray(1) == ["tense", "calm"])
                #expect(try rows[0].string(2) == #"{"a": 1}"#)
                #expect(try rows[0].string(3) == #"{"a": 1}"#)
                #expect(try rows[0].bytes(3) == Array(#"{"a": 1}"#.utf8))
                #expect(try rows[0].string(4) == "n")
                #expect(try rows[0].string(5) == "v")
            }
        }
    }
}
