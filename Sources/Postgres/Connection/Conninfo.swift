import CLibpq
import Glibc

/// What libpq gets to connect: the user's string as it is, and our defaults for options that are set neither in the
/// string nor in the service file nor in the environment. libpq does all the parsing.
struct Conninfo {
    /// For `PQconnectStartParams`, in this order; the first is the user's string.
    private(set) var parameters: [(keyword: String, value: String)]

    /// - Throws: `DatabaseError` when libpq does not understand the string. It leaves out libpq's own message, which
    ///   quotes what it could not parse: that may be a password.
    init(_ url: String, applicationName: String) throws(DatabaseError) {
        try Self.check(url)
        parameters = [
            ("dbname", url),
            ("fallback_application_name", applicationName),
            ("client_encoding", "UTF8"),  // what String is; PGCLIENTENCODING must not change that
        ]
        let open = try Self.open(in: url)
        for (keyword, value) in Self.defaults where open.contains(keyword) { parameters.append((keyword, value)) }
    }

    /// In seconds, tcp_user_timeout in milliseconds: a vanished host is noticed within half a minute.
    private static let defaults = [
        ("connect_timeout", "5"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"),
    ]

    static let doing = "read the database's connection string"

    private static func check(_ url: String) throws(DatabaseError) {
        var reason: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &reason)
        defer {
            PQconninfoFree(options)
            PQfreemem(reason)
        }
        let isURI = url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")
        let advice =
            isURI
            ? "in a URI, characters such as @ : / ? # % in the user or the password are written as %40 and so on"
            : "it is either a postgresql:// URI or keyword=value pairs, with values quoted like password='it''s'"
        guard let options else {
            throw misspelt(reason).map { DatabaseError(doing: doing, message: $0) }
                ?? DatabaseError(doing: doing, message: "libpq does not understand it; \(advice)")
        }

        // An @ or / that was not encoded makes a piece of the password the host, the port or the database, and from
        // there it would get into libpq's messages.
        let given = values(of: options)
        let isPort = given["port", default: ""].utf8.allSatisfy { $0 == UInt8(ascii: ",") || (48...57).contains($0) }
        let isTorn = ["host", "dbname"].contains { given[$0, default: ""].contains("@") }
        guard isPort, !(isURI && isTorn) else {
            throw DatabaseError(doing: doing, message: "its host, port or database cannot be right; \(advice)")
        }
    }

    /// What is wrong, when libpq does not know an option whose name is almost one that it knows.
    private static func misspelt(_ reason: UnsafeMutablePointer<CChar>?) -> String? {
        guard let reason, let match = String(cString: reason).firstMatch(of: #/(option|parameter:) "([^"]*)"/#),
            let meant = ConninfoOption.meant(by: match.2)
        else { return nil }
        return "it has an option \(match.2), which libpq does not know: write \(meant)"
    }

    /// The options that neither the string, nor its service, nor the environment sets.
    private static func open(in url: String) throws(DatabaseError) -> Set<String> {
        let known = try effective(url)
        return Set(defaults.map { $0.0 }.filter { known[$0] == nil })
    }

    /// The options that are set: by the string, its service, the environment, or libpq's own default.
    ///
    /// - Throws: `DatabaseError` when libpq does not understand the string.
    // libpq looks services up only while it starts to connect. So start a connection with an option value that libpq
    // refuses before it opens anything, and then ask it for its options.
    static func effective(_ url: String) throws(DatabaseError) -> [String: String] {
        try check(url)
        let probe = withCStrings(["dbname", "channel_binding"], [url, "none of libpq's"]) {
            PQconnectStartParams($0, $1, 1)
        }
        defer { PQfinish(probe) }
        guard let probe, let options = PQconninfo(probe) else {
            throw DatabaseError(doing: doing, message: "libpq has no memory left", isTransient: true)
        }
        defer { PQconninfoFree(options) }
        return values(of: options)
    }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {  // the list ends with a null keyword
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Starts to connect. libpq returns null only when it has no memory.
    func start() -> OpaquePointer? {
        Self.withCStrings(parameters.map(\.keyword), parameters.map(\.value)) { PQconnectStartParams($0, $1, 1) }
    }

    private static func withCStrings(
        _ keywords: [String], _ values: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> OpaquePointer?
    ) -> OpaquePointer? {
        let copies = (keywords + values).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) }
        let half = keywords.count
        return body(Array(pointers[..<half]) + [nil], Array(pointers[half...]) + [nil])
    }
}
