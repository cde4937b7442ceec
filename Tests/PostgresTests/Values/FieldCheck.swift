import CLibpq

@testable import Postgres

/// What must hold for every field a server can send: a wrong length or type is an error, and nothing is read outside
/// the bytes. The tests run it over the corpus, bin/fuzz over the inputs of libFuzzer.
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
        if marks & 1 == 1 { return try Self.null(reply) }
        try Self.single(reply, type, value, isBinary: marks & 2 == 0)
        try Self.arrays(reply, type, value, isBinary: marks & 2 == 0)
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

    /// What a reading of the only field gives; nil: it throws.
    private static func read<T>(_ reply: borrowing Rows, _ body: (inout Row) throws -> T) -> T? {
        try? reply.single(body)
    }

    private static func null(_ reply: borrowing Rows) throws(Broken) {
        try hold(
            read(reply) { try $0.int64() } == nil && read(reply) { try $0.string() } == nil,
            "reading NULL without OrNil fails")
        try hold(
            read(reply) { try $0.bytes() } == nil && read(reply) { try $0.int64Array() } == nil,
            "reading NULL without OrNil fails")
        try hold(read(reply) { try $0.stringOrNil() } == .some(nil), "reading NULL with OrNil returns nil")
        try hold(read(reply) { try $0.int64OrNil() } == .some(nil), "reading NULL with OrNil returns nil")
        try hold(read(reply) { try $0.timestampOrNil() } == .some(nil), "reading NULL with OrNil returns nil")
        try hold(read(reply) { try $0.int64ArrayOrNil() } == .some(nil), "reading NULL with OrNil returns nil")
    }

    private static func single(
        _ reply: borrowing Rows, _ type: UInt32, _ value: [UInt8], isBinary: Bool
    ) throws(Broken) {
        let number = read(reply) { try $0.int64() }
        let sizes: [UInt32: Int] = [OID.int2: 2, OID.int4: 4, OID.int8: 8]
        try hold((number != nil) == (isBinary && sizes[type] == value.count), "a number has the length of its type")
        if let number {
            let expected = value.reduce(Int64(value[0] & 0x80 == 0 ? 0 : -1)) { $0 << 8 | Int64($1) }
            try hold(number == expected, "a number is what its bytes say")
            try hold(read(reply) { try $0.int16() } == Int16(exactly: number), "a smaller type takes what fits")
            try hold(read(reply) { try $0.int32() } == Int32(exactly: number), "a smaller type takes what fits")
        }
        let wide = isBinary && value.count == 8
        let isTime = type == OID.timestamp || type == OID.timestamptz
        try hold((read(reply) { try $0.timestamp() } != nil) == (wide && isTime), "a time has eight bytes")
        let isDouble =
            wide && type == OID.float8 || isBinary && value.count == 4 && type == OID.float4
        try hold((read(reply) { try $0.double() } != nil) == isDouble, "a double has the length of its type")
        let isFlag = isBinary && value.count == 1 && type == OID.bool
        try hold((read(reply) { try $0.bool() } != nil) == isFlag, "a flag has one byte")

        let bytes = read(reply) { try $0.bytes() }
        let isText = type == OID.bytea || OID.isText(type)
        let isJSONB = type == OID.jsonb && value.first == 1
        try hold((bytes != nil) == (isBinary && (isText || isJSONB)), "the type decides what is a text")
        if let bytes { try hold(bytes == (isJSONB ? Array(value.dropFirst()) : value), "bytes come as they were sent") }
        let lent = read(reply) { try $0.withBytes { Array($0) } }
        try hold(lent == bytes, "lent bytes are the same")
        let text = type == OID.bytea ? nil : bytes.map { String(decoding: $0, as: UTF8.self) }
        try hold(read(reply) { try $0.string() } == text, "a text is its bytes")
        let beyond = read(reply) { row in
            try row.skip()
            return try row.int64OrNil()
        }
        try hold(beyond == nil, "there is no other column")
    }

    private static func arrays(
        _ reply: borrowing Rows, _ type: UInt32, _ value: [UInt8], isBinary: Bool
    ) throws(Broken) {
        let all = read(reply) { try $0.bytesArray() }
        if let all { try fits(all.count, all.reduce(0) { $0 + $1.count }, in: value, isBinary) }
        if let texts = read(reply, { try $0.stringArray() }) {
            // An invalid byte becomes U+FFFD, which has three.
            try fits(texts.count, texts.reduce(0) { $0 + $1.utf8.count } / 3, in: value, isBinary)
        }
        if let numbers = read(reply, { try $0.int64Array() }) {
            try fits(numbers.count, 2 * numbers.count, in: value, isBinary)
            try hold(read(reply) { try $0.int64OrNilArray() } == numbers, "without NULL both readings agree")
            try hold(read(reply) { try $0.int16Array() } == exactly(numbers), "a smaller type takes what fits")
        }
        if let texts = read(reply, { try $0.stringOrNilArray() }) { try fits(texts.count, 0, in: value, isBinary) }
        if let flags = read(reply, { try $0.boolArray() }) { try fits(flags.count, flags.count, in: value, isBinary) }
        if let doubles = read(reply, { try $0.doubleArray() }) {
            try fits(doubles.count, 4 * doubles.count, in: value, isBinary)
        }
        if let times = read(reply, { try $0.timestampArray() }) {
            try fits(times.count, 8 * times.count, in: value, isBinary)
        }
        let scalars = [OID.text, OID.bytea, OID.int8, OID.jsonb, 1700]
        if scalars.contains(type) {
            try hold(all == nil && read(reply) { try $0.int64OrNilArray() } == nil, "a scalar is not read as an array")
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
