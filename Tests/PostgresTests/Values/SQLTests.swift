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
}
