/// The SQLSTATE codes that mean something to us: `catch where error.is(.lockNotAvailable)`. Names as in
/// [PostgreSQL's table](https://www.postgresql.org/docs/current/errcodes-appendix.html).
public struct SQLState: RawRepresentable, Hashable, Sendable {
    /// Five characters.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// A message of the protocol that the server could not read; from pgbouncer, nearly everything.
    public static let protocolViolation = SQLState("08P01")
    public static let featureNotSupported = SQLState("0A000")
    public static let uniqueViolation = SQLState("23505")
    public static let checkViolation = SQLState("23514")
    /// The server takes no changes: a standby before its promotion, or `default_transaction_read_only`.
    public static let readOnlyTransaction = SQLState("25006")
    public static let inFailedTransaction = SQLState("25P02")
    /// No prepared statement of that name: behind a pooler, the one that was prepared in another session.
    public static let invalidStatementName = SQLState("26000")
    /// What was to be dropped is used by something else.
    public static let dependentObjectsStillExist = SQLState("2BP01")
    public static let invalidPassword = SQLState("28P01")
    /// No database of that name.
    public static let invalidCatalogName = SQLState("3D000")
    /// What the view of an audience raised, where it says to try again (`push_internal.audience_read`).
    public static let externalRoutineException = SQLState("38000")
    /// No schema of that name.
    public static let invalidSchemaName = SQLState("3F000")
    public static let serializationFailure = SQLState("40001")
    public static let deadlockDetected = SQLState("40P01")
    public static let insufficientPrivilege = SQLState("42501")
    public static let undefinedTable = SQLState("42P01")
    public static let undefinedColumn = SQLState("42703")
    /// No function of that name takes these arguments.
    public static let undefinedFunction = SQLState("42883")
    /// No role, type or setting of that name.
    public static let undefinedObject = SQLState("42704")
    /// A function that cannot be replaced by one with another result.
    public static let invalidFunctionDefinition = SQLState("42P13")
    public static let duplicatePreparedStatement = SQLState("42P05")
    public static let duplicateSchema = SQLState("42P06")
    public static let diskFull = SQLState("53100")
    public static let tooManyConnections = SQLState("53300")
    public static let objectNotInPrerequisiteState = SQLState("55000")
    public static let objectInUse = SQLState("55006")
    /// `NOWAIT`, or `lock_timeout` ran out.
    public static let lockNotAvailable = SQLState("55P03")
    /// Cancelled by a person, or `statement_timeout` ran out.
    public static let queryCancelled = SQLState("57014")
    public static let adminShutdown = SQLState("57P01")
    public static let crashShutdown = SQLState("57P02")
    /// The server starts, stops or recovers.
    public static let cannotConnectNow = SQLState("57P03")
    public static let idleSessionTimeout = SQLState("57P05")
    /// `RAISE … USING ERRCODE = 'no_data_found'`.
    public static let noDataFound = SQLState("P0002")
}
