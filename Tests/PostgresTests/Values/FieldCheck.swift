import CLibpq

@testable import Postgres

/// What must hold for every field a server can send: a wrong length or type is an error, and nothing is read outside
/// the bytes. The tests run it over the corpus, the package Fuzzing over the inputs of libFuzzer.
enum FieldCheck: String, CaseIterable, Sendable {
    case field

    /// A broken promise.
    struct Broken: Error {
        let promise: String
    }

    /// The types we know, some we do not, and one made by CREATE TYPE.
    private static let types: [UInt32] = [
        OID.bool, OID.bytea, OID.int8, OID.int2, OID.int4, OID.text,
        OID.float4, OID.float8, OID.timestamp, OID.timestamptz, OID.jsonb,
        OID.boolArray, OID.byteaArray, OID.int2Array, OID.int4Array, OID.textArray,
        OID.int8Array, OID.float8Array, OID.timestamptzArray, 114, 1700, 0, 16_400, .max,
    ]

    /// The first byte chooses the type, the second says whether it is NULL (1) and whether it is sent as text (2).
    func run(_ bytes: [UInt8]) throws(Broken) {
        let type = Self.types[Int(bytes.first ?? 0) % Self.types.count]
        let marks = bytes.dropFirst().first ?? 0
        let value = Array(bytes.dropFirst(2))
        let reply = Self.reply(type, isNull: marks & 1 == 1, isText: marks & 2 == 2, value)
        try reply.forEach { row throws(Broken) in
            if marks & 1 == 1 { return try Self.null(row) }
            try Self.single(row, type, value, isBinary: marks & 2 == 0)
            try Self.arrays(row, type, value, isBinary: marks & 2 == 0)
        }
    }

    /// A reply as libpq makes it from a message of the server. The bytes are copied exactly, so that a sanitizer sees a
    /// read outside them.
    private static func reply(_ type: UInt32, isNull: Bool, isText: Bool, _ value: [UInt8]) -> Rows {
        guard let raw = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { fatalError("libpq has no memory") }
        var column = PGresAttDesc()
        column.format = isText ? 0 : 1
        column.typid = type
        column.typlen = -1
        column.atttypmod = -1
        "value".withCString { name in
            column.name = UnsafeMutablePointer(mutating: name)  // copied by libpq
            guard PQsetResultAttrs(raw, 1, &column) != 0 else { fatalError("libpq has no memory") }
        }
        var bytes = value.map(CChar.init(bitPattern:)) + [0]
        guard PQsetvalue(raw, 0, 0, &bytes, isNull ? -1 : Int32(value.count)) != 0 else {
            fatalError("libpq has no memory")
        }
        return Rows(owning: raw)
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    // `try?` below: the question is whether it throws, and the type says what it throws.

    private static func null(_ row: borrowing Row) throws(Broken) {
        try hold((try? row.isNull(0)) == true, "NULL is NULL")
        try hold((try? row.int64(0)) == nil && (try? row.string(0)) == nil, "reading NULL without OrNil fails")
        try hold((try? row.bytes(0)) == nil && (try? row.int64Array(0)) == nil, "reading NULL without OrNil fails")
        let read: (String?, Int64?, Timestamp?)
        do throws(DatabaseError) {
            read = (try row.stringOrNil(0), try row.int64OrNil(0), try row.timestampOrNil(0))
        } catch { throw Broken(promise: "reading with OrNil does not fail on NULL") }
        try hold(read.0 == nil && read.1 == nil && read.2 == nil, "reading NULL with OrNil returns nil")
    }

    private static func single(
        _ row: borrowing Row, _ type: UInt32, _ value: [UInt8], isBinary: Bool
    ) throws(Broken) {
        let number = try? row.int64(0)
        let sizes: [UInt32: Int] = [OID.int2: 2, OID.int4: 4, OID.int8: 8]
        try hold((number != nil) == (isBinary && sizes[type] == value.count), "a number has the length of its type")
        if let number {
            let expected = value.reduce(Int64(value[0] & 0x80 == 0 ? 0 : -1)) { $0 << 8 | Int64($1) }
            try hold(number == expected, "a number is what its bytes say")
            try hold((try? row.int16(0)) == Int16(exactly: number), "a smaller type takes what fits")
            try hold((try? row.int32(0)) == Int32(exactly: number), "a smaller type takes what fits")
        }
        let wide = isBinary && value.count == 8
        let isTime = type == OID.timestamp || type == OID.timestamptz
        try hold(((try? row.timestamp(0)) != nil) == (wide && isTime), "a time has eight bytes")
        let isDouble =
            wide && type == OID.float8 || isBinary && value.count == 4 && type == OID.float4
        try hold(((try? row.double(0)) != nil) == isDouble, "a double has the length of its type")
        let isFlag = isBinary && value.count == 1 && type == OID.bool
        try hold(((try? row.bool(0)) != nil) == isFlag, "a flag has one byte")

        let bytes = try? row.bytes(0)
        let isText = type == OID.bytea || OID.isText(type)
        let isJSONB = type == OID.jsonb && value.first == 1
        try hold((bytes != nil) == (isBinary && (isText || isJSONB)), "the type decides what is a text")
        if let bytes { try hold(bytes == (isJSONB ? Array(value.dropFirst()) : value), "bytes come as they were sent") }
        let lent = try? row.withBytes(0) { Array($0) }
        try hold(lent == bytes, "lent bytes are the same")
        let text = type == OID.bytea ? nil : bytes.map { String(decoding: $0, as: UTF8.self) }
        try hold((try? row.string(0)) == text, "a text is its bytes")
        try hold((try? row.int64(1)) == nil && (try? row.bytes(-1)) == nil, "there is no other column")
    }

    private static func arrays(
        _ row: borrowing Row, _ type: UInt32, _ value: [UInt8], isBinary: Bool
    ) throws(Broken) {
        let all = try? row.bytesArray(0)
        if let all { try fits(all.count, all.reduce(0) { $0 + $1.count }, in: value, isBinary) }
        if let texts = try? row.stringArray(0) {
            // An invalid byte becomes U+FFFD, which has three.
            try fits(texts.count, texts.reduce(0) { $0 + $1.utf8.count } / 3, in: value, isBinary)
        }
        if let numbers = try? row.int64Array(0) {
            try fits(numbers.count, 2 * numbers.count, in: value, isBinary)
            try hold((try? row.int64OrNilArray(0)) == numbers, "without NULL both readings agree")
            try hold((try? row.int16Array(0)) == exactly(numbers), "a smaller type takes what fits")
        }
        if let texts = try? row.stringOrNilArray(0) { try fits(texts.count, 0, in: value, isBinary) }
        if let flags = try? row.boolArray(0) { try fits(flags.count, flags.count, in: value, isBinary) }
        if let doubles = try? row.doubleArray(0) { try fits(doubles.count, 4 * doubles.count, in: value, isBinary) }
        if let times = try? row.timestampArray(0) { try fits(times.count, 8 * times.count, in: value, isBinary) }
        let scalars = [OID.text, OID.bytea, OID.int8, OID.jsonb, 1700]
        if scalars.contains(type) {
            try hold(all == nil && (try? row.int64OrNilArray(0)) == nil, "a scalar is not read as an array")
        }
    }

    private static func exactly(_ numbers: [Int64]) -> [Int16]? {
        let small = numbers.compactMap(Int16.init(exactly:))
        return small.count == numbers.count ? small : nil
    }

    private static func fits(_ count: Int, _ size: Int, in value: [UInt8], _ isBinary: Bool) throws(Broken) {
        try hold(isBinary, "a field in text form is not read as binary")
        try hold(
            value.count >= 12 && (count == 0 || 20 + 4 * count + size <= value.count),
            "all elements come from the bytes")
    }
}
