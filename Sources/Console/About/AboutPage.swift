import Foundation
import Pages
import Postgres
import Store

/// `/about`: what this is, and what the person may do here.
struct AboutPage: ConsolePage {
    static let place: Place? = .about
    static let rights: [Right] = []

    init?(path: [String], fields: FormFields) {
        guard path == Place.about.path else { return nil }
    }

    struct Rows: Sendable {
        var schema: Part<Schema.Standing>
        var server: Part<ServerFacts>
        var login: Part<LoginRoles>
        /// By what is read with it: rights that a role should have and lacks. Those that could not be looked at are left out: then
        /// `login` shows why.
        var missing: [String]

        var troubles: [Trouble] { [schema.trouble, server.trouble, login.trouble].compactMap(\.self) }
    }

    /// With the login's own rights, because everybody who is signed in may see the page; none of it needs another right.
    func read(_ reader: PageReader) async -> Rows {
        async let schema = reader.part("schema", as: nil, freshFor: 10) { database throws(DatabaseError) in
            try await DatabaseError.only(doing: "read the release of the schema") {
                try await Schema(database: database).standing()
            }
        }
        async let server = reader.part("server", as: nil, freshFor: 10) { database throws(DatabaseError) in
            try await DatabaseError.only(doing: "read the server's settings") {
                try await ServerFacts.read(from: database) { Date().timeIntervalSince1970 }
            }
        }
        async let login = reader.part("login", as: nil, freshFor: 10) { database throws(DatabaseError) in
            try await LoginRoles.read(from: database)
        }
        var missing: Set<String> = []
        for right in Right.allCases where reader.person.may(right) {
            let access = await reader.part("rights", as: right, freshFor: 10) { database throws(DatabaseError) in
                try await RoleAccess.read(from: database)
            }
            missing.formUnion(access.value?.missing ?? [])
        }
        return Rows(schema: await schema, server: await server, login: await login, missing: missing.sorted())
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        PageContent(
            title: "About", template: "about", view: AboutView(rows, for: visit), liveSeconds: nil,
            troubles: rows.troubles,
            elsewhere: [
                Elsewhere(
                    about: "schema",
                    sql:
                        "SELECT release, works_from, applied_at, applied_by, app_version FROM push.schema() ORDER BY release;",
                    command: "fanfare migrate status"),
                Elsewhere(about: "settings", command: "fanfare config print"),
                Elsewhere(
                    about: "rights", sql: "SELECT role, function FROM push.function_rights() ORDER BY role, function;",
                    command: "fanfare doctor"),
            ])
    }
}
