/// The numbers of built-in types in `pg_type`. They are part of PostgreSQL's protocol and never change.
enum OID {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let timestamp: UInt32 = 1114
    static let timestamptz: UInt32 = 1184
    static let jsonb: UInt32 = 3802

    static let boolArray: UInt32 = 1000
    static let byteaArray: UInt32 = 1001
    static let int2Array: UInt32 = 1005
    static let int4Array: UInt32 = 1007
    static let textArray: UInt32 = 1009
    static let int8Array: UInt32 = 1016
    static let float8Array: UInt32 = 1022
    static let timestamptzArray: UInt32 = 1185

    /// Whether the binary form of the type is its text: name, text, json, xml, unknown, bpchar, varchar, and types that
    /// the database defines, which for us are enums (domains arrive as their base type).
    static func isText(_ type: UInt32) -> Bool {
        switch type {
        case 19, 25, 114, 142, 705, 1042, 1043: true
        default: type >= 16_384  // the first number that CREATE TYPE gives
        }
    }
}
