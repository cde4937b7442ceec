import Testing

@testable import Postgres

/// Values come back unchanged, and the server reads them the same.
@Suite struct PostgresValueTests {
    @Test func numbersComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            for value in [Int16.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.int16() } } == value)
            }
            for value in [Int32.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.int32() } } == value)
            }
            for value in [Int64.min, -1, 0, 1, .max] {
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.int64() } } == value)
                let text = try await database.query("SELECT \(value)::text, \(Int(value))::text") { rows throws in
                    try rows.single { row in [try row.string(), try row.string()] }
                }
                #expect(text == ["\(value)", "\(value)"])
            }
            for value in [-Double.infinity, -0.1, 0, 1e-300, .pi, .greatestFiniteMagnitude, .infinity] {
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.double() } } == value)
            }
            #expect(try await database.query("SELECT \(Double.nan)") { try $0.single { try $0.double() } }.isNaN)
            #expect(try await database.query("SELECT 0.5::real") { try $0.single { try $0.double() } } == 0.5)
            let flags = try await database.query("SELECT \(true), \(false)") {
                try $0.single { try [$0.bool(), $0.bool()] }
            }
            #expect(flags == [true, false])
        }
    }

    @Test(arguments: [
        "", " ", "it's \"quoted\" \\ $1", "Zürich 東京 \u{1F4F1}\u{200D} e\u{301}",
        String(repeating: "ü", count: 100_000),
    ])
    func textsComeBackByteForByte(text: String) async throws {
        try await SharedServer.withDatabase { database async throws in
            let (back, size, bytes) = try await database.query(
                "SELECT \(text), octet_length(\(text)), \(text)"
            ) { rows in
                try rows.single { row in (try row.string(), try row.int32(), try row.bytes()) }
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
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.bytes() } } == value)
                let lent = try await database.query("SELECT \(value)") {
                    try $0.single { try $0.withBytes { Array($0) } }
                }
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
                #expect(try await database.query("SELECT \(value)") { try $0.single { try $0.timestamp() } } == value)
            }
            let seen = try await database.query(
                "SELECT extract(epoch FROM \(others[3]))::text, \(Timestamp.negativeInfinity)::text, to_timestamp(0)"
            ) { rows in
                try rows.single { row in (try row.string(), try row.string(), try row.timestamp().secondsSince1970) }
            }
            #expect(seen == ("1700000000.123456", "-infinity", 0))
        }
    }

    @Test func nullsComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = """
                SELECT \(nil as Int16?), \(nil as Int32?), \(nil as Int64?), \(nil as Bool?), \(nil as Double?),
                       \(nil as String?), \(nil as Timestamp?), \(nil as [UInt8]?), \(nil as [Int64]?),
                       \(nil as [String]?), \("x" as String?)
                """
            try await database.query(sql) { rows throws in
                let row = try rows.first { row in
                    #expect(try row.int16OrNil() == nil)
                    #expect(try row.int32OrNil() == nil)
                    #expect(try row.int64OrNil() == nil)
                    #expect(try row.boolOrNil() == nil)
                    #expect(try row.doubleOrNil() == nil)
                    #expect(try row.stringOrNil() == nil)
                    #expect(try row.timestampOrNil() == nil)
                    #expect(try row.bytesOrNil() == nil)
                    #expect(try row.int64ArrayOrNil() == nil)
                    #expect(try row.stringArrayOrNil() == nil)
                    return try row.stringOrNil()
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
            try await database.query(sql) { rows in
                try rows.single { row throws in
                    #expect(try row.int16Array() == small)
                    #expect(try row.int32Array() == middle)
                    #expect(try row.int64Array() == large)
                    #expect(try row.stringArray() == texts)
                    #expect(try row.doubleArray() == doubles)
                    #expect(try row.boolArray() == [true, false])
                    #expect(try row.timestampArray() == times)
                    #expect(try row.bytesArray() == bytes)
                    #expect(try row.string() == "{-9223372036854775808,0,9223372036854775807}")
                    #expect(try row.string() == #"{"","a,b","{\"}","NULL",東京}"#)
                    #expect(try row.string() == "{1,2}")
                }
            }
        }
    }

    @Test func emptyArraysComeBack() async throws {
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = "SELECT \([Int64]()), \([String]()), \([String?]()), cardinality(\([Int16]()))"
            try await database.query(sql) { rows in
                try rows.single { row throws in
                    #expect(try row.int64Array() == [])
                    #expect(try row.stringArray() == [])
                    #expect(try row.stringOrNilArray() == [])
                    #expect(try row.int32() == 0)
                }
            }
        }
    }

    @Test func nullsInsideArraysComeBack() async throws {
        let texts: [String?] = [nil, "", "x", nil]
        let numbers: [Int64?] = [1, nil]
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = """
                SELECT \(texts), \(numbers), \(texts)::text, \([nil, true] as [Bool?])::text, \([nil, [1]] as [[UInt8]?])::text,
                       \(texts), \(numbers)
                """
            try await database.query(sql) { rows in
                try rows.single { row throws in
                    #expect(try row.stringOrNilArray() == texts)
                    #expect(try row.int64OrNilArray() == numbers)
                    #expect(try row.string() == #"{NULL,"",x,NULL}"#)
                    #expect(try row.string() == "{NULL,t}")
                    #expect(try row.string() == #"{NULL,"\\x01"}"#)
                    #expect(throws: DatabaseError.self) { try row.stringArray() }
                    #expect(throws: DatabaseError.self) { try row.int64Array() }
                }
            }
        }
    }

    @Test func arraysUnnestSideBySide() async throws {
        let ids: [Int64] = Array(1...1000)
        let words = ids.map { $0 % 3 == 0 ? nil : "w\($0)" }
        try await SharedServer.withDatabase { database async throws in
            let sql: SQL = "SELECT id, word FROM unnest(\(ids), \(words)) AS u(id, word) ORDER BY id"
            let back = try await database.query(sql) { rows throws in
                try rows.map { row in (try row.int64(), try row.stringOrNil()) }
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
                       \("{\"a\": 1}")::jsonb, 'n'::name, 'v'::varchar(3)
                """
            try await database.query(sql) { rows in
                try rows.single { row throws in
                    #expect(try row.string() == "calm")
                    #expect(try row.stringArray() == ["tense", "calm"])
                    #expect(try row.string() == #"{"a": 1}"#)
                    #expect(try row.string() == #"{"a": 1}"#)
                    #expect(try row.bytes() == Array(#"{"a": 1}"#.utf8))
                    #expect(try row.string() == "n")
                    #expect(try row.string() == "v")
                }
            }
        }
    }
}
