/// Something the server wanted to be known and that stopped nothing: `RAISE NOTICE`, a deprecated setting, a collation
/// that changed under the database.
public struct Notice: Sendable, Equatable {
    /// WARNING, NOTICE, INFO, LOG or DEBUG, in English whatever language the server speaks.
    public var severity: String
    public var sqlState: String?
    public var message: String
    public var detail: String?
    public var hint: String?
}
