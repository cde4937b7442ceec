import Store

/// Whether the role at hand has the rights of what it is for: a worker's, a backend's, an operator's, a dashboard's,
/// that of campaigns or the owner's. Pure.
enum DoctorRights {
    private static let area = "database"
    private static let name = "rights"

    static func finding(_ access: RoleAccess) -> Finding {
        guard access.isOwner || !access.groups.isEmpty else {
            let groups = RoleAccess.Group.allCases.map(\.rawValue).joined(separator: ", ")
            return noGroup(access.name, found: "role \(access.name) is in none of \(groups)")
        }
        return .list(
            area, name, access.missing, none: found(access), as: .fail,
            remedy: "Run as the owner of the schema: SELECT push.grant_roles()")
    }

    /// Campaigns read views with the rights of push_audience, which therefore owns the functions that do.
    static func audiences(_ access: RoleAccess) -> Finding {
        guard let owner = access.audiencesBelongTo else {
            return .ok(area, "audiences", "views are read with the rights of push_audience")
        }
        return .fail(
            area, "audiences",
            "the functions that read views belong to \(owner), not to push_audience: campaigns cannot read views",
            remedy: "Have a superuser run: GRANT push_audience TO \"\(owner)\"; Then run as \(owner): "
                + "SELECT push.grant_roles();")
    }

    /// A role that Fanfare knows nothing of.
    static func noGroup(_ role: String, found: String) -> Finding {
        .fail(
            area, name, found,
            remedy: "Make \(role) a member of what it is for: GRANT push_worker TO \(role) for fanfare run and drain, "
                + "push_operator for a person on call, push_monitor for a dashboard, push_enqueue for a backend that sends, "
                + "push_register for one that registers devices, push_campaign for an owner of campaigns, push_approve for "
                + "a person who approves them, push_console for a console that people share.")
    }

    private static func found(_ access: RoleAccess) -> String {
        guard !access.isOwner else { return "role \(access.name) has those of the owner" }
        let groups = access.groups.map(\.rawValue).sorted().joined(separator: " and ")
        let work = access.mayWork ? "" : "; fanfare run and drain need a role with push_worker"
        return "role \(access.name) has those of \(groups)\(work)"
    }

    /// What this role may not look at; nil: nothing.
    ///
    /// - Parameter deep: whether lost messages were asked for.
    static func skipped(_ access: RoleAccess, deep: Bool) -> Finding? {
        var names: [String] = []
        if !access.mayCheck { names += ["partitions", "incidents"] }
        if !access.mayReadViews { names += ["snapshots"] + (deep ? ["lost messages", "lost changes"] : []) }
        if !access.mayReadViews, !access.mayWork { names += ["workers", "the state of the hubs"] }
        guard !names.isEmpty else { return nil }
        return .skip(
            area, "not looked at",
            "\(names.joined(separator: ", ")): role \(access.name) may not read them; "
                + "one with push_monitor may")
    }
}
