import Configuration
import HTTPTransport
import Providers
import PushModel
import PushWorker
import Signing

extension HubService {
    /// A token that FCM gives to nobody. It answers 400 to a sender that may send for the project, and refuses all others
    /// before it looks at the token.
    private static let nobody = Post(
        messages: [0], target: .handles(["fanfare-doctor-asks-for-nobody"]), format: "fcmv1",
        body: Array(#"{"message":{"data":{"from_fanfare":"doctor"}}}"#.utf8))

    /// - Throws: `ServiceAccountError`, `InvalidHub`.
    init(fcm hub: HubConfiguration) throws {
        let settings = hub.settings
        let primary = try ServiceAccount(parsing: hub.serviceAccount?.reveal() ?? "")
        let secondary = try hub.secondaryServiceAccount.map { try ServiceAccount(parsing: $0.reveal()) }
        let endpoint = settings.endpoint ?? FCM.endpoint
        let fcm = try FCM(
            project: settings.project.isEmpty ? primary.project : settings.project, endpoint: endpoint,
            broadcastTopic: settings.broadcastTopic, doubtsUnavailable: settings.unavailable == .doubt,
            version: fanfareVersion, now: Clock.system.wall)
        let question = Question(
            ask: { try fcm.testRequest(for: Self.nobody, id: 0, with: $0) },
            read: { reply in
                let answer = fcm.answer(to: reply)
                switch answer.verdict {
                case .targetInvalid, .targetGone: return Answer(verdict: .accepted, status: answer.status)
                default: return answer
                }
            })
        let tokens = {
            @Sendable (client: HTTPClient, primary: ServiceAccount, secondary: ServiceAccount?, earlier: AccessTokens?)
            in
            try AccessTokens(
                primary: primary, secondary: secondary, version: fanfareVersion, continuing: earlier,
                now: Clock.system.wall, perform: { await client.perform($0) })
        }
        let credential = { (name: String, setting: String, account: ServiceAccount) in
            Credential(
                name: name, setting: "hubs.\(settings.name).\(setting)",
                passes: { try tokens($0, account, nil, nil) })
        }
        self.init(
            settings, base: endpoint, provider: fcm,
            credentials: [credential("service account", "serviceAccount", primary)]
                + (secondary.map { [credential("secondary account", "secondaryServiceAccount", $0)] } ?? []),
            question: question, testSends: .onlyCheck,
            makePasses: { client, earlier in try tokens(client, primary, secondary, earlier as? AccessTokens) })
    }
}
