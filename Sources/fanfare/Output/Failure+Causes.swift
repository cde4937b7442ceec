import Campaigns
import Configuration
import CommandLineTool
import Daemon
import Postgres
import Store

extension Failure {
    /// What the errors of our libraries mean to the person at the command line; nil: an error of none of them.
    ///
    /// - Parameter databaseFrom: where the address of the database came from.
    init?(of error: any Error, databaseFrom: String? = nil) {
        switch error {
        case let failure as Failure: self = failure
        case let error as SettingsError: self.init(error.problems)
        case let error as SchemaError:
            self.init("cannot use this database", because: "\(error)", status: .configuration)
        case let error as DatabaseError: self.init(error, databaseFrom: databaseFrom)
        default: return nil
        }
    }

    /// Message and hint of the server; its detail is left out because it quotes whole rows.
    private init(_ error: DatabaseError, databaseFrom: String?) {
        let (status, advice) = Self.meaning(of: error, databaseFrom: databaseFrom)
        let line = error.line.map { ", line \($0)" } ?? ""
        self.init(
            "cannot \(error.doing)\(line)", because: Self.words(of: error, status),
            hint: status == .configuration && error.sqlState == nil ? advice : error.hint ?? advice, status: status)
    }

    private static func words(of error: DatabaseError, _ status: ExitStatus) -> String {
        // Where the schema has no words of its own, the name of the constraint is a sentence and the server's is not.
        if error.is(.checkViolation), error.hint == nil, let constraint = error.constraint {
            return "a row of push.message breaks the rule \(constraint)"
        }
        // The code of a refused row adds nothing to its message.
        guard status != .badInput, let code = error.sqlState else { return error.message }
        return "\(error.message) (SQLSTATE \(code))"
    }

    /// By SQLSTATE; without one the fault was noticed on this side of the connection.
    private static func meaning(of error: DatabaseError, databaseFrom: String?) -> (ExitStatus, hint: String?) {
        let from = databaseFrom.map { "database.url comes from: \($0). " } ?? ""
        guard let code = error.sqlState else {
            if error.isTransient { return (.unavailable, from + "Is PostgreSQL running there?") }
            switch error.doing {  // the two that `Postgres` itself finds wrong with the settings
            case "connect to the database": return (.noPermission, from + "It needs a password: set one in PGPASSFILE.")
            case "read the database's connection string":
                let hint = error.hint.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
                return (.configuration, from + (hint ?? "Correct it there."))
            default: return (.internalFault, nil)
            }
        }
        switch SQLState(rawValue: code) {
        case .invalidCatalogName:
            return (.unavailable, "\(from)Make it: createdb \(databaseName(in: error.message)) && fanfare migrate up")
        case .insufficientPrivilege:
            let role = MissingRole(refusal: error.message)
            return (.noPermission, "\(from)\(role.advice)")
        case .readOnlyTransaction:
            return (.unavailable, "\(from)This server takes no changes (a standby?): name the primary.")

        case .serializationFailure, .deadlockDetected, .lockNotAvailable, .queryCancelled:
            return (.tryLater, "Try again.")
        // Raised by our own functions: the hub or the worker is not in a state for that.
        case .objectNotInPrerequisiteState, .objectInUse: return (.badInput, nil)
        // Also of ours: a database in another encoding.
        case .featureNotSupported: return (.configuration, nil)
        default: break
        }
        switch code.prefix(2) {
        case "28": return (.noPermission, "\(from)Check user, password and pg_hba.conf.")
        case "53": return (.tryLater, "\(from)The server is short of something; try again.")
        case "08", "57": return (.unavailable, "\(from)Is PostgreSQL running there?")
        case "22": return (.badInput, zoneAdvice(error.message))
        case "23", "P0": return (.badInput, nil)
        default: return (.internalFault, "Is this schema unchanged? Ask: fanfare migrate verify")
        }
    }

    /// Zones that a name may have meant which PostgreSQL does not know; nil: the words are about something else.
    private static func zoneAdvice(_ message: String) -> String? {
        guard let match = message.firstMatch(of: /time zone "([^"]+)" not recognized/) else { return nil }
        do throws(TimeZoneError) {
            _ = try TimeZones().named(String(match.1))
            return nil
        } catch {
            return error.hint
        }
    }

    /// The name the server quotes, when it can stand in a command as it is.
    private static func databaseName(in message: String) -> String {
        let words = message.split(separator: "\"", omittingEmptySubsequences: false)
        guard words.count >= 3, case let name = words[words.count - 2], !name.isEmpty,
            name.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            })
        else { return "NAME" }
        return String(name)
    }
}
