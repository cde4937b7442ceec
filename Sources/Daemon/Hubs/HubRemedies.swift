import Configuration
import Providers
import PushModel
import Signing

/// What a person does when the service of a hub refuses us or is not reached, by its kind. The one list of it: `fanfare doctor`
/// and the commands that speak to a hub say the same. Pure.
public struct HubRemedies: Sendable {
    public let kind: HubKind
    /// What a service without the hub lacks: `there is no such hub`.
    public let absence: String
    private let setting: String
    private let words: Words

    /// Sentences of one kind.
    struct Words {
        /// What an address is set by: `the Endpoint in hubs.news.connectionString`.
        let address: String
        /// The service does not know us.
        let refused: String
        /// It knows us, and we may not do this.
        let denied: String
        /// What it is asked for is not there.
        let missing: String
        let quota: String
        /// There is no pass, and asking again does not help.
        let passRefused: String
        /// There is no pass yet.
        let passWaiting: String
        /// Reasons with a remedy of their own, by a word in them.
        var reasons: [(word: String, remedy: String)] = []
    }

    /// - Parameter setting: of the credential that was shown: `hubs.news.secondaryConnectionString`. Default: the primary one's.
    public init(of hub: HubSettings, setting: String? = nil) {
        kind = hub.kind
        self.setting = setting ?? "hubs.\(hub.name).\(HubSecretKeys(of: hub.kind).primary)"
        switch hub.kind {
        case .notificationHubs:
            absence = "there is no such hub"
            words = Words(notificationHub: hub.name, self.setting)
        case .fcm:
            absence = "there is no such project"
            words = Words(fcm: hub, self.setting)
        case .apns:
            absence = "there is no such service"
            words = Words(apns: hub, self.setting)
        }
    }

    /// What to do about an answer; nil: it is not about us, or time mends it.
    ///
    /// - Parameter http: the status; nil: no server answered.
    public func remedy(of verdict: Verdict, http: Int?) -> String? {
        switch verdict {
        case .authExpired(let why), .authFailed(let why): authentication(why, http)
        case .hubNotFound:
            switch http {
            case 404: words.missing
            case 405, 501: "It does not serve this request: check \(words.address)."
            default: "Check \(words.address), and what stands between here and the hub."
            }
        case .quotaExceeded: words.quota
        case .notSent: "Check \(words.address), name resolution and the firewall."
        default: nil
        }
    }

    /// What to do when there is no pass to ask with.
    public func remedy(of trouble: PassTrouble) -> String {
        switch trouble {
        case .refused(let why) where AccessTokens.blamesClock(why): Self.clock
        case .refused: words.passRefused
        case .waiting: words.passWaiting
        }
    }

    /// What to do about a clock that is wrong.
    public static let clock = "Set this machine's clock by NTP: tokens are signed with it."

    private func authentication(_ why: String, _ http: Int?) -> String {
        switch http {
        case nil where ["has expired", "not yet valid"].contains(where: why.contains):
            return "Check the dates of the hub's certificate, and this machine's clock."
        case nil:
            return
                "Check ca-certificates, and whether a proxy stands between; transport.caFile trusts another authority, and the "
                + "check is never switched off."
        case 407:
            return
                "Fanfare has no credentials for a proxy: let this machine reach the hub without one, or check \(words.address)."
        default:
            if let found = words.reasons.first(where: { why.contains($0.word) }) { return found.remedy }
            return http == 403 ? words.denied : words.refused
        }
    }
}

extension HubRemedies.Words {
    fileprivate init(notificationHub name: String, _ setting: String) {
        self.init(
            address: "the Endpoint in \(setting)",
            refused: "Check \(setting): the policy's name, its key and its rights, and this machine's clock.",
            denied: "The policy in \(setting) lacks the right for this: look in the portal.",
            missing: "Check hubs.\(name).hub, and the Endpoint in \(setting).",
            quota: "The hub's tier does not have this, or its quota is used up: look in the portal.",
            passRefused: "Check \(setting).", passWaiting: "Ask again later.")
    }

    fileprivate init(apns hub: HubSettings, _ setting: String) {
        let start = "hubs.\(hub.name)."
        let account = "in the Apple developer account"
        let ids = setting.hasSuffix("secondaryKey") ? "\(start)secondaryKeyId" : "\(start)keyId"
        let isCertificate = setting.hasSuffix("certificate")
        let refused =
            isCertificate
            ? "Check \(setting) \(account): whether it was revoked, and is for this app."
            : "Check \(setting), \(ids) and \(start)teamId: they belong together; and \(account) that the key is not revoked."
        self.init(
            address: "\(start)endpoint", refused: refused, denied: refused,
            missing: "Check \(start)endpoint, and what stands between here and APNs.",
            quota: "Ask again later.", passRefused: "Check \(setting).",
            passWaiting: "Wait: Apple takes a new token of a key at most every 20 minutes.",
            reasons: [
                (
                    "Environment",
                    "Check \(start)environment: sandbox is for apps that Xcode installs. A key may be for one environment "
                        + "alone: look at it \(account)."
                ),
                (
                    "Topic",
                    "Check \(start)topic: it is the app's bundle id; and \(account) that \(isCertificate ? "the certificate" : "the key") may send to it."
                ),
            ])
    }

    fileprivate init(fcm hub: HubSettings, _ setting: String) {
        let project = hub.project.isEmpty ? "its project" : "project \(hub.project)"
        let role = "the role Firebase Cloud Messaging API Admin in \(project)"
        let endpoint = "hubs.\(hub.name).endpoint"
        self.init(
            address: endpoint,
            refused: "Check in the Google Cloud console that the account in \(setting) is enabled, and has \(role).",
            denied: "Give the account in \(setting) \(role), and enable the Firebase Cloud Messaging API there.",
            missing: "Check \(project) (hubs.\(hub.name).project, else that of \(setting)), and \(endpoint).",
            quota: "Look at the quotas of \(project) in the Google Cloud console.",
            passRefused: "Check \(setting): whether the account is there and enabled, and its key not deleted.",
            passWaiting: "Check the way from here to the token endpoint that \(setting) names.",
            reasons: [
                (
                    "THIRD_PARTY_AUTH_ERROR",
                    "Put the APNs key, or the key of Web Push, right in the Firebase console: Project settings, Cloud "
                        + "Messaging."
                )
            ])
    }
}
