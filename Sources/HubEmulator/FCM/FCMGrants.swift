import Pages
import PushModel
import Signing

/// Who may send: `POST /token`, and the access tokens of all other requests.
struct FCMGrants: Sendable {
    /// One service account of a sender.
    private struct Account: Sendable {
        let hub: Hub
        let index: Int
        let email: String
        let keyID: String?
        let key: RSAVerification
    }

    private let clock: EmulatorClock
    private let byProject: [String: Hub]
    private let accounts: [Account]
    let tokens = AccessTokens()

    /// - Parameter hubs: those that are senders.
    /// - Throws: `EmulatorError` when two senders have one project, or a sender has no account.
    init(_ hubs: [Hub], clock: EmulatorClock) throws(EmulatorError) {
        var byProject: [String: Hub] = [:]
        var accounts: [Account] = []
        for hub in hubs {
            guard let sender = hub.sender else { continue }
            if let other = byProject.updateValue(hub, forKey: sender.project) {
                throw EmulatorError(
                    "the senders \(other.name) and \(hub.name) have one project, \(sender.project): their sends could not "
                        + "be distinguished")
            }
            guard !sender.accounts.isEmpty else {
                throw EmulatorError("the sender \(hub.name) has no account: no client could send")
            }
            for (index, account) in sender.accounts.enumerated() {
                guard let key = RSAVerification(publicKey: account.publicKey) else {
                    throw EmulatorError("the account \(account.email) of \(hub.name) has no RSA key")
                }
                accounts.append(
                    Account(hub: hub, index: index, email: account.email, keyID: account.keyID, key: key))
            }
        }
        self.byProject = byProject
        self.accounts = accounts
        self.clock = clock
    }

    var isServed: Bool { !byProject.isEmpty }

    func hub(ofProject project: String) -> Hub? { byProject[project] }

    /// The hub of an access token's request, as far as its assertion says so. Nothing is checked.
    func hub(of body: UploadedBody) -> Hub? {
        guard let text = FormFields(body.text[...])["assertion"], let assertion = try? Assertion(text) else {
            return accounts.first?.hub
        }
        return accounts.first { $0.email == assertion.issuer }?.hub
    }

    /// `POST /token`: an assertion is changed for an access token.
    func answer(_ request: EmulatorRequest, _ body: UploadedBody) -> Response {
        do throws(GrantError) {
            let fields = FormFields(body.text[...])
            guard fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
                throw GrantError(
                    "unsupported_grant_type", "Invalid grant_type: \((fields["grant_type"] ?? "").prefix(80))")
            }
            guard let text = fields["assertion"] else {
                throw GrantError("invalid_request", "Missing parameter: assertion")
            }
            let account = try account(of: try Assertion(text), request)
            let life = account.hub.sender?.tokenSeconds ?? 1
            let token = issue(for: account.hub, account: account.index, seconds: Double(life))
            return FCMJSON.response(["access_token": token, "expires_in": life, "token_type": "Bearer"])
        } catch {
            return error.response
        }
    }

    /// The account that signed the assertion.
    private func account(of assertion: Assertion, _ request: EmulatorRequest) throws(GrantError) -> Account {
        let named = accounts.filter {
            $0.email == assertion.issuer && !Self.isRevoked($0.index, request.faultEffects)
        }
        // Two keys of one account differ in their ids.
        guard let account = named.first(where: { $0.keyID == assertion.keyID }) ?? named.first else {
            throw .invalidGrant("Invalid grant: account not found")
        }
        // Clients sign by their own clock, which does not advance with the emulator's.
        let now = clock.now - clock.advance + request.faultEffects.skewSeconds
        try assertion.check(
            by: account.key, keyID: account.keyID, audiences: [request.origin + "/token"], now: now)
        return account
    }

    /// A new access token, for a client that has proved itself and for the page's own sends.
    func issue(for hub: Hub, account: Int = 0, seconds: Double = 60) -> String {
        tokens.issue(AccessTokens.Grant(hub: hub, account: account, expires: clock.now + seconds))
    }

    /// The sender of the project, if the request's token is for it.
    ///
    /// - Throws: 401, 403 or 404 in FCM's form.
    func sender(of request: EmulatorRequest, _ project: String) throws(FCMError) -> Hub {
        let grant = try grant(of: request)
        guard let hub = byProject[project] else { throw .noProject(project) }
        guard grant.hub === hub else { throw .otherProject(project) }
        return hub
    }

    /// What the access token of a request allows.
    ///
    /// - Throws: 401 in FCM's form.
    func grant(of request: EmulatorRequest) throws(FCMError) -> AccessTokens.Grant {
        let effects = request.faultEffects
        return try tokens.grant(of: request.authorization, now: clock.now + effects.skewSeconds) {
            Self.isRevoked($0, effects)
        }
    }

    private static func isRevoked(_ account: Int, _ effects: FaultEffects) -> Bool {
        switch effects.rotated {
        case nil: false
        case .primary: account == 0
        case .both: true
        }
    }
}

extension UploadedBody {
    /// As UTF-8; empty when it was too large.
    fileprivate var text: String { String(decoding: bytes ?? [], as: UTF8.self) }
}
