import ArgumentParser
import CommandLineTool
import Configuration
import PushModel
import Store

/// `fanfare hub rotate`
struct RotateHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make all workers sign with the hub's other key, or use its other account.",
        discussion: """
            For changing keys without a pause: rotate, regenerate the key that is not in use any more, put the new one into \
            the settings of every worker and restart them one after the other (a reload is enough where the files themselves \
            change: a settings file, /run/secrets, Kubernetes), then rotate back if you like. Needs \
            secondaryConnectionString; for a hub of kind fcm secondaryServiceAccount, for one of kind apns secondaryKey. Workers follow within a second; \
            nothing in flight is lost.

            Example: fanfare hub rotate news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        // Before the change, so that settings which cannot be read stop it. The login may not read push.hub.
        let kind = try options.common.loadSettings(.database).hubs[hub]?.settings.kind
        return report(key: try await Hubs(database: database).rotate(hub), kind: kind)
    }

    /// - Parameter kind: nil: the settings here do not have the hub.
    func report(key: HubKey, kind: HubKind?) -> Report {
        let old = key.other
        let setting = kind.map(HubSecretKeys.init(of:)).map { old == .primary ? $0.primary : $0.secondary }
        let place = setting.map { "hubs.\(hub).\($0)" } ?? "the settings of the hub"
        let words = Words(kind, old)
        return Report(
            """
            hub \(hub): workers \(words.now(key)) now
            next: 1. see that every worker follows: fanfare hub show \(hub)
                  2. \(words.renew)
                  3. put \(words.fresh) into \(place) and restart the workers \
            one after the other: systemctl restart fanfare (systemd copies credentials when a service starts, so a reload \
            does not see them)
            """, ["hub": .text(hub), "key": .text(key.rawValue), "kind": .text(kind?.rawValue)])
    }

    /// What the steps are called at a service.
    private struct Words {
        let now: (HubKey) -> String
        let renew: String
        let fresh: String

        init(_ kind: HubKind?, _ old: HubKey) {
            switch kind {
            case .notificationHubs:
                now = { "sign with the \($0.rawValue) key" }
                renew = "regenerate the \(old.rawValue) key in the portal"
                fresh = "its new connection string"
            case .fcm:
                now = { "send with the \($0.rawValue) service account" }
                renew =
                    "make a new key for the \(old.rawValue) account in the Google Cloud console (IAM & Admin, Service "
                    + "accounts, Keys), and delete its old one"
                fresh = "the text of the new key file"
            case .apns:
                now = { "sign with the \($0.rawValue) key" }
                renew =
                    "make a new key for pushes in the Apple developer account (Certificates, Identifiers & Profiles, Keys), and "
                    + "revoke the \(old.rawValue) one"
                fresh = "the text of the new .p8 file, with its id,"
            case nil:
                now = { "use the \($0.rawValue) key" }
                renew = "renew the \(old.rawValue) key at the service"
                fresh = "the new key"
            }
        }
    }
}
