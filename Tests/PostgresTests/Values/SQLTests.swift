import Testing

@testable import Postgres

@Suite struct SQLTests {
    @Test func everyValueBecomesANumberedParameter() {
        let sql: SQL = "SELECT \("it's"), \(Int64(7)) FROM \(raw: "push.message") WHERE hub = \(true)"
        #expect(sql.text == "SELECT $1, $2 FROM push.message WHERE hub = $3")
        #expect(sql.parameters.entries.map(\.oid) == [25, 20, 16])
    }

    @Test func nullHasATypeAndNoBytes() {
        let sql: SQL = "SELECT \(nil as Timestamp?)"
        #expect(sql.parameters.entries.map(\.oid) == [1184])
        #expect(sql.parameters.entries.map(\.length) == [-1])
    }

    @Test(arguments: [("plain", "\"plain\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\"")])
    func namesAreQuoted(name: String, quoted: String) {
        let sql: SQL = "DROP TABLE \(name: name)"
        #expect(sql.text == "DROP TABLE " + quoted)
    }

    @Test func anArrayOfBytesIsOneByteString() {
        let sql: SQL = "SELECT \([UInt8](arrayLiteral: 1, 2, 3)), \([[UInt8]]())"
        #expect(sql.parameters.entries.map(\.oid) == [17, 1001])
        #expect(sql.parameters.entries.map(\.length) == [3, 12])
    }

    @Test func twoInt64AreLaidOutAsPostgreSQLWantsThem() {
        var bytes: [UInt8] = []
        [Int64(1), -1].write(to: &bytes)
        let one: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
        let minusOne: [UInt8] = [0, 0, 0, 8] + Array(repeating: 0xff, count: 8)
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1]
        #expect(bytes == header + one + minusOne)
    }
}
