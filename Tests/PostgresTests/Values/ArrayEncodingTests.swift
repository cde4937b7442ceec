import Testing

@testable import Postgres

@Suite struct ArrayEncodingTests {
    @Test func anArrayOfBytesIsOneBytea() {
        let sql: SQL = "SELECT \([UInt8](arrayLiteral: 1, 2, 3)), \([[UInt8]]())"
        #expect(sql.parameters.entries.map(\.oid) == [17, 1001])
        #expect(sql.parameters.entries.map(\.length) == [3, 12])
    }

    @Test func twoInt64HaveTheLayoutOfABigintArray() {
        var bytes: [UInt8] = []
        [Int64(1), -1].write(to: &bytes)
        let one: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
        let minusOne: [UInt8] = [0, 0, 0, 8] + Array(repeating: 0xff, count: 8)
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1]
        #expect(bytes == header + one + minusOne)
    }
}
