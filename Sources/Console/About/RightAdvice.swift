import PushModel
import Store

/// Whether a person has a right, and who has to do what before it works. Pure.
struct RightAdvice: Sendable, Equatable {
    let right: Right
    let isGranted: Bool
    /// What has to change in the settings; nil: nothing.
    var settings: String?
    /// What the owner of the database has to run; nil: nothing.
    var sql: String?

    /// - Parameter login: nil: its roles are not known.
    init(_ right: Right, of person: Person, login: LoginRoles?) {
        self.right = right
        isGranted = person.may(right)
        if !isGranted, person.sharesLogin {
            settings = "Add \(right.rawValue) to console.users.\(person.name).may."
        }
        guard let login, let group = RoleAccess.Group(rawValue: right.role), !login.groups.contains(group) else {
            return
        }
        // The login of a console takes on every role by one membership.
        let role =
            person.sharesLogin && !login.groups.contains(.console) ? RoleAccess.Group.console.rawValue : right.role
        let member =
            person.sharesLogin && login.groups.contains(.console)
            ? RoleAccess.Group.console.rawValue : SQLText.name(login.login)
        sql = "GRANT \(role) TO \(member);"
    }
}
