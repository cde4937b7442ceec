import Postgres

/// Which of Fanfare's roles a login can take on for a transaction, whichever role is set now.
public struct LoginRoles: Sendable, Equatable {
    public var login: String
    public var groups: Set<RoleAccess.Group>

    public init(login: String, groups: Set<RoleAccess.Group>) {
        self.login = login
        self.groups = groups
    }

    /// Needs no right.
    public static func read(from database: Database) async throws(DatabaseError) -> LoginRoles {
        try await database.single(
            // From PostgreSQL 16 on, a member may be one that may not set the role.
            """
            SELECT session_user::text,
                   ARRAY(SELECT r.name
                           FROM unnest(\(RoleAccess.Group.allCases.map(\.rawValue))::text[]) r(name)
                          WHERE CASE WHEN to_regrole(r.name) IS NOT NULL
                                     THEN pg_has_role(session_user, to_regrole(r.name)::oid,
                                                      CASE WHEN current_setting('server_version_num')::int >= 160000
                                                           THEN 'SET' ELSE 'MEMBER' END) END)
            """, doing: "look at the login's roles"
        ) { row in
            LoginRoles(
                login: try row.string(),
                groups: Set(try row.stringArray().compactMap(RoleAccess.Group.init(rawValue:))))
        }
    }
}
