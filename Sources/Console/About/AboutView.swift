import PushModel
import Store

/// What `/about` shows: the template `about`.
struct AboutView {
    struct RightView {
        let rightName: String
        let rightRole: String
        let rightWord: String
        let rightLook: String
        let rightSettings: String?
        let rightSQL: String?
    }

    struct SettingView {
        let settingName: String
        let settingValue: String
        let settingSource: String
    }

    struct LinkView {
        let besideName: String
        let besideAddress: String
    }

    let consoleVersion: String
    let schemaWords: String?
    let schemaLook: String
    let schemaState: String
    let serverVersion: String?
    let serverRemarks: String?
    let loginName: String?
    let signedInAs: String
    /// nil: the person is the login of the command, which ends the session when it stops.
    let signOutAction: String?
    let rights: [RightView]
    /// Rights that a role should have and lacks; empty: none.
    let missingRights: [String]
    let lacksRights: Bool
    let settings: [SettingView]
    let hasSettings: Bool
    let beside: [LinkView]

    init(_ rows: AboutPage.Rows, for visit: Visit) {
        let person = visit.person
        consoleVersion = visit.options.version
        let schema = rows.schema.value.map(SchemaWords.init)
        schemaWords = schema?.words
        schemaLook = schema?.look.rawValue ?? ""
        schemaState = schema?.state ?? ""
        serverVersion = rows.server.value?.version
        serverRemarks = rows.server.value.flatMap(Self.remarks)
        loginName = rows.login.value?.login
        signedInAs = person.name
        signOutAction = person.sharesLogin ? visit.address("sign-out") : nil
        rights = Right.allCases.map { right in
            let advice = RightAdvice(right, of: person, login: rows.login.value)
            let works = advice.isGranted && advice.sql == nil
            return RightView(
                rightName: right.rawValue, rightRole: right.role,
                rightWord: works ? "yes" : advice.isGranted ? "not in the database" : "no",
                rightLook: works ? "good" : advice.isGranted ? "bad" : "off", rightSettings: advice.settings,
                rightSQL: advice.sql)
        }
        missingRights = rows.missing
        lacksRights = !rows.missing.isEmpty
        // Owners of campaigns see no hub's settings elsewhere, either.
        let lines = person.may(.look) ? visit.options.settings : []
        settings = lines.map {
            SettingView(settingName: $0.name, settingValue: $0.value, settingSource: $0.source)
        }
        hasSettings = !settings.isEmpty
        beside = visit.options.links.map { LinkView(besideName: $0.name, besideAddress: $0.address) }
    }

    /// nil: nothing about the server is odd.
    private static func remarks(_ server: ServerFacts) -> String? {
        let remarks = [
            server.isStandby ? "a standby, which takes no changes" : nil,
            server.clock.isTooLarge
                ? "its clock differs from this machine's by \(HumanFormat.duration(abs(server.clock.seconds)))" : nil,
            server.autovacuum ? nil : "autovacuum is off", server.fsync ? nil : "fsync is off",
        ].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }
}
