import Foundation
import HTTPTypes
import PushModel
import Signing

/// What the emulator serves as Google does: access tokens, sends and subscriptions to topics. Every send is recorded in the
/// journal exactly once.
struct FCMRoutes: Sendable {
    /// One service account of a sender.
    private struct Account: Sendable {
        let hub: Hub
        let index: Int
        let email: String
        let keyID: String?
        let key: RSAVerification
    }

    let clock: EmulatorClock
    let started: ContinuousClock.Instant
    let journal: Journal
    let warnings: WarningLog
    let tokens = AccessTokens()
    private let byProject: [String: Hub]
    private let accounts: [Account]

    /// - Parameter hubs: those that are senders.
    /// - Throws: `EmulatorError` when two senders have one project, or a sender has no account.
    init(
        _ hubs: [Hub], clock: EmulatorClock, started: ContinuousClock.Instant, journal: Journal, warnings: WarningLog
    ) throws(EmulatorError) {
        var byProject: [String: Hub] = [:]
        var accounts: [Account] = []
        for hub in hubs {
            guard let sender = hub.sender else { continue }
            if let other = byProject.updateValue(hub, forKey: sender.project) {
                throw EmulatorError(
                    "the senders \(other.name) and \(hub.name) have one project, \(sender.project): their sends could not "
                        + "be told apart")
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
        self.started = started
        self.journal = journal
        self.warnings = warnings
    }

    var isServed: Bool { !byProject.isEmpty }

    func hub(ofProject project: String) -> Hub? { byProject[project] }

    /// The hub of an access token's request, as far as its assertion says so. Nothing is checked.
    func hub(ofTokenRequest body: UploadedBody) -> Hub? {
        guard let text = FormFields(Self.text(body)[...])["assertion"], let assertion = try? Assertion(text) else {
            return accounts.first?.hub
        }
        return accounts.first { $0.email == assertion.issuer }?.hub
    }

    func answer(
        _ operation: FCMOperation, _ request: EmulatorRequest, _ body: UploadedBody, _ entry: JournalEntry?
    ) -> Response {
        if case .subscription(let project, let token, let topic) = operation {
            return subscribe(request, project: project, token: token, topic: topic)
        }
        guard request.method == .post else {
            return FCMError(status: 404, message: "This address takes POST, not \(request.method.rawValue).").response
        }
        switch operation {
        case .token: return grant(request, body)
        case .send(let project): return send(request, project: project, body, entry ?? self.entry(request, project))
        case .topics(let isOn): return subscribe(request, body, isOn: isOn)
        case .subscription(let project, let token, let topic):
            return subscribe(request, project: project, token: token, topic: topic)
        }
    }

    // MARK: Access tokens

    private func grant(_ request: EmulatorRequest, _ body: UploadedBody) -> Response {
        do throws(GrantError) {
            let fields = FormFields(Self.text(body)[...])
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
        tokens.issue(AccessTokens.Grant(sender: hub.name, account: account, expires: clock.now + seconds))
    }

    /// - Throws: 401 in FCM's form.
    private func grant(of request: EmulatorRequest) throws(FCMError) -> AccessTokens.Grant {
        let effects = request.faultEffects
        return try tokens.grant(of: request.authorization, now: clock.now + effects.skewSeconds) {
            Self.isRevoked($0, effects)
        }
    }

    /// The sender of the project, if the request's token is for it.
    ///
    /// - Throws: 401, 403 or 404 in FCM's form.
    private func sender(of request: EmulatorRequest, _ project: String) throws(FCMError) -> Hub {
        let grant = try grant(of: request)
        guard let hub = byProject[project] else { throw .noProject(project) }
        guard grant.sender == hub.name else { throw .otherProject(project) }
        return hub
    }

    private static func isRevoked(_ account: Int, _ effects: FaultEffects) -> Bool {
        switch effects.rotated {
        case nil: false
        case .primary: account == 0
        case .both: true
        }
    }

    // MARK: Sends

    private func send(
        _ request: EmulatorRequest, project: String, _ body: UploadedBody, _ entry: JournalEntry
    ) -> Response {
        var entry = entry.with(body)
        do throws(FCMError) {
            let (name, pushes) = try take(request, project: project, body, &entry)
            entry.status = 200
            journal.record(entry, pushes)
            return FCMJSON.response(["name": name])
        } catch {
            entry.status = error.status
            entry.refusal = error.line
            journal.record(entry)
            return error.response
        }
    }

    /// Checks and delivers a send.
    ///
    /// - Returns: the message's name, and the pushes, which are not recorded yet.
    private func take(
        _ request: EmulatorRequest, project: String, _ body: UploadedBody, _ entry: inout JournalEntry
    ) throws(FCMError) -> (name: String, pushes: [Push]) {
        let hub = try sender(of: request, project)
        guard let bytes = body.bytes else {
            throw .invalid("", "Request payload size exceeds the limit: \(FCMOperation.sendLimit) bytes.")
        }
        let send = try FCMSend(bytes)
        entry.tags = send.topics
        if case .handle = send.target { entry.handles = 1 }
        entry.kind = send.isTrial ? .trial : send.topics == nil ? .direct : .send
        let delivery = try FCMDelivery(send, hub, at: entry.at, warnings: warnings)
        entry.taken = !send.isTrial
        let id = send.isTrial ? "fake_message_id" : Self.messageID(at: entry.at, isToTopics: send.topics != nil)
        entry.notification = send.isTrial ? nil : id
        return ("projects/\(project)/messages/\(id)", delivery.pushes)
    }

    /// Records a send that a fault has hit. The client sees `response` instead of FCM's own.
    ///
    /// - Parameters:
    ///   - response: nil: the connection is closed without a response.
    ///   - isTaken: whether the send is taken anyway.
    /// - Returns: `response`, with a message's name when it says 2xx; or the refusal, when it says so for a send that FCM
    ///   would refuse.
    func recordFault(
        _ request: EmulatorRequest, project: String, _ body: UploadedBody, _ entry: JournalEntry, response: Response?,
        isTaken: Bool
    ) -> Response? {
        var response = response
        var entry = entry.with(body)
        var name = "projects/\(project)/messages/\(Self.messageID(at: entry.at, isToTopics: false))"
        var pushes: [Push] = []
        if isTaken {
            do throws(FCMError) {
                (name, pushes) = try take(request, project: project, body, &entry)
            } catch {
                entry.refusal = error.line
                if let status = response?.status, status < 300 { response = error.response }
            }
        }
        if let status = response?.status, status < 300 {
            response?.body = FCMJSON.response(["name": name]).body
        }
        entry.status = response?.status
        journal.record(entry, pushes)
        return response
    }

    /// The entry of a send as it arrives.
    func entry(_ request: EmulatorRequest, _ project: String, fault: Int? = nil) -> JournalEntry {
        var entry = JournalEntry(
            number: 0, hub: byProject[project]?.name ?? String(project.prefix(260)), at: clock.now,
            elapsed: started.duration(to: .now) / .seconds(1), taken: false, format: SendFormat.fcmv1.rawValue,
            clientTracking: request[.trackingID], reached: 0, request: SentRequest(request))
        entry.fault = fault
        return entry
    }

    /// In the forms that FCM gives: `0:1500415314455276%31bd1c9631bd1c96` for a token, digits for topics.
    private static func messageID(at time: Double, isToTopics: Bool) -> String {
        let micros = UInt64(min(max(0, time * 1_000_000), 9e18).rounded())
        let hex = FakeIDs.guid().filter { $0 != "-" }.prefix(16)
        return isToTopics ? "\(UInt64(hex, radix: 16) ?? micros)" : "0:\(micros)%\(hex)"
    }

    // MARK: Topics

    private func subscribe(_ request: EmulatorRequest, _ body: UploadedBody, isOn: Bool) -> Response {
        func problem(_ status: Int, _ text: String) -> Response { FCMJSON.response(["error": text], status: status) }
        guard request[.accessTokenAuth]?.lowercased() == "true" else {
            return problem(401, "The header access_token_auth: true is missing.")
        }
        let grant: AccessTokens.Grant
        do throws(FCMError) { grant = try self.grant(of: request) } catch {
            return problem(error.status, error.message)
        }
        guard let hub = byProject.values.first(where: { $0.name == grant.sender }) else {
            return problem(404, "There is no such sender.")
        }
        guard let bytes = body.bytes,
            let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any],
            let path = object["to"] as? String, let tokens = object["registration_tokens"] as? [String]
        else { return problem(400, "The body is {\"to\": \"/topics/NAME\", \"registration_tokens\": [...]}.") }
        let name = path.hasPrefix("/topics/") ? String(path.dropFirst("/topics/".count)) : path
        // Google's Go client allows the prefix of a private topic, too.
        guard FCMTopic.isValid(name.hasPrefix("private/") ? name.dropFirst("private/".count) : name[...]) else {
            return problem(400, "InvalidTopicName")
        }
        guard (1...BatchBody.handleLimit).contains(tokens.count) else {
            return problem(400, "A call takes 1 to \(BatchBody.handleLimit) tokens, not \(tokens.count).")
        }
        let results = hub.subscribe(tokens, to: name, isOn: isOn).map { $0.map { ["error": $0] } ?? [:] }
        journal.feed.wakeWaiters()
        return FCMJSON.response(["results": results])
    }

    /// One phone and one topic: `POST` subscribes, `DELETE` ends that.
    private func subscribe(_ request: EmulatorRequest, project: String, token: String, topic: String?) -> Response {
        do throws(FCMError) {
            guard request.method == .post || request.method == .delete else {
                throw FCMError(status: 404, message: "This address takes POST and DELETE.")
            }
            let hub = try sender(of: request, project)
            guard let topic, FCMTopic.isValid(topic) else {
                throw .invalid("topic_name", "Invalid topic name: it has letters, digits, -, _, ., ~ and %.")
            }
            let isOn = request.method == .post
            guard hub.isSubscribed(token, to: topic) != isOn || request.isOn("allow_missing") else {
                throw isOn
                    ? FCMError(status: 409, message: "The phone has the topic already.")
                    : FCMError(status: 404, message: "The phone does not have the topic.")
            }
            switch hub.subscribe([token], to: topic, isOn: isOn)[0] {
            case nil: break
            case "NOT_FOUND": throw .unregistered
            case "INTERNAL": throw TokenRule.unavailable.error(field: "token")
            case "RESOURCE_EXHAUSTED", "TOO_MANY_TOPICS":
                throw FCMError(status: 429, message: "Too many topics or phones.", code: "QUOTA_EXCEEDED")
            default: throw TokenRule.notAToken("token")
            }
            journal.feed.wakeWaiters()
            let name = "projects/\(project)/registrations/\(token)/topicSubscriptions/\(topic)"
            return FCMJSON.response(isOn ? ["name": name] : [:])
        } catch {
            return error.response
        }
    }

    private static func text(_ body: UploadedBody) -> String { String(decoding: body.bytes ?? [], as: UTF8.self) }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let accessTokenAuth = HTTPField.Name("access_token_auth")!
}
