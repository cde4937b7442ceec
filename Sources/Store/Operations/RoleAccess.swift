import Postgres

/// What the connected role is for Fanfare, and whether it has the rights of that.
public struct RoleAccess: Sendable, Equatable {
    /// The roles without a login that Fanfare makes.
    public enum Group: String, Sendable, CaseIterable {
        case enqueue = "push_enqueue"
        case register = "push_register"
        case campaign = "push_campaign"
        case approve = "push_approve"
        case worker = "push_worker"
        case monitor = "push_monitor"
        case `operator` = "push_operator"
        case console = "push_console"
    }

    /// The connected role.
    public var name: String
    /// Whether it has the rights of the owner of the schema, as a superuser does.
    public var isOwner: Bool
    /// Whose rights it has.
    public var groups: Set<Group>
    /// Rights of these groups that it nevertheless lacks; empty: it has all.
    public var missing: [String]
    /// Whom the functions that read views belong to, where that is not `push_audience` as it has to be.
    public var audiencesBelongTo: String?

    /// Whether it may read the views.
    public var mayReadViews: Bool { isOwner || groups.contains(.monitor) }
    /// Whether it may call what a worker calls.
    public var mayWork: Bool { isOwner || groups.contains(.worker) }
    /// Whether it may call the checks that all but backends may call.
    public var mayCheck: Bool { isOwner || !groups.isDisjoint(with: [.worker, .monitor, .operator]) }

    /// Whether it may read `push.campaign_next`.
    public var mayReadSchedules: Bool { isOwner || !groups.isDisjoint(with: [.campaign, .approve, .monitor]) }

    /// - Throws: `DatabaseError` 42501 for a role that may not even enter the schema.
    public static func read(from database: Database) async throws(DatabaseError) -> RoleAccess {
        try await database.single(
            """
            WITH ours(names) AS (
                SELECT ARRAY(SELECT r.name
                               FROM unnest(\(Group.allCases.map(\.rawValue))::text[]) r(name)
                              WHERE CASE WHEN to_regrole(r.name) IS NOT NULL
                                         THEN pg_has_role(to_regrole(r.name)::oid, 'USAGE') END))
            SELECT current_user::text,
                   (SELECT pg_has_role(n.nspowner, 'USAGE') FROM pg_namespace n WHERE n.nspname = 'push'),
                   o.names,
                   ARRAY(SELECT 'EXECUTE on push.' || p.proname
                           FROM push.function_rights() g
                                JOIN pg_proc p ON p.pronamespace = 'push'::regnamespace AND p.proname = g.function
                          WHERE g.role = ANY (o.names)
                            -- CASE: not of the functions of other schemas, in whatever order a plan reads.
                            AND CASE WHEN p.pronamespace = 'push'::regnamespace
                                     THEN NOT has_function_privilege(p.oid, 'EXECUTE') END
                         UNION
                         SELECT 'EXECUTE on push_worker.' || p.proname
                           FROM pg_proc p
                          WHERE p.pronamespace = to_regnamespace('push_worker')
                            AND 'push_worker' = ANY (o.names)
                            AND CASE WHEN p.pronamespace = to_regnamespace('push_worker')
                                     THEN NOT (has_schema_privilege(p.pronamespace, 'USAGE')
                                               AND has_function_privilege(p.oid, 'EXECUTE')) END
                         UNION
                         SELECT 'SELECT on push.' || c.relname
                           FROM pg_class c
                          WHERE c.relnamespace = 'push'::regnamespace
                            AND c.relkind = 'v'
                            AND c.relname <> 'gone_targets'
                            AND 'push_monitor' = ANY (o.names)
                            AND CASE WHEN c.relnamespace = 'push'::regnamespace AND c.relkind = 'v'
                                     THEN NOT has_table_privilege(c.oid, 'SELECT') END
                         UNION
                         SELECT 'SELECT on push.' || v.name
                           FROM unnest('{approvals,campaign_next,campaigns,run_hubs,run_progress}'::text[]) v(name)
                          WHERE '{push_campaign,push_approve}' && o.names
                            AND NOT has_table_privilege('push.' || v.name, 'SELECT')
                         UNION
                         SELECT 'INSERT on push.message'
                          WHERE 'push_enqueue' = ANY (o.names)
                            AND NOT has_any_column_privilege('push.message', 'INSERT')
                         UNION
                         SELECT 'SELECT on push.' || v.name
                           FROM unnest('{device_status,gone_targets}'::text[]) v(name)
                          WHERE 'push_register' = ANY (o.names)
                            AND NOT has_table_privilege('push.' || v.name, 'SELECT')
                          ORDER BY 1),
                   (SELECT max(pg_get_userbyid(p.proowner)::text)
                      FROM pg_proc p
                     WHERE p.pronamespace = to_regnamespace('push_internal')
                       AND p.proname ~ '^audience_'
                       AND pg_get_userbyid(p.proowner) <> 'push_audience')
              FROM ours o
            """, doing: "look at the role's rights"
        ) { row in
            RoleAccess(
                name: try row.string(), isOwner: try row.bool(),
                groups: Set(try row.stringArray().compactMap(Group.init(rawValue:))), missing: try row.stringArray(),
                audiencesBelongTo: try row.stringOrNil())
        }
    }
}
