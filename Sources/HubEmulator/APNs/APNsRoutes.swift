import HTTPServer
import HTTPTypes
import PushModel

/// What the emulator serves as Apple does: sends to one handle each. Every send is recorded in the journal exactly once.
struct APNsRoutes: Sendable {
    let keys: ProviderKeys
    /// The senders.
    let hubs: [Hub]
    let clock: EmulatorClock
    let started: ContinuousClock.Instant
    let journal: Journal
    let warnings: WarningLog

    /// Streams of a connection before its first good token and after it.
    static let firstStreams = 1
    static let streams = 1_000
    /// Of a connection of another service.
    static let usualStreams = 100

    /// Lets the client of another service on the port for TLS have as many streams open as without a sender of APNs.
    func allowStreams(on connection: PeerConnection?) {
        guard let connection, connection.isHTTP2, connection.kept({ APNsConnection() }).trust() else { return }
        connection.limitStreams(to: Self.usualStreams)
    }

    /// The sender that a request seems to be for; nothing is checked.
    func hub(of request: EmulatorRequest) -> Hub? {
        if let name = request.connection?.clientName { return hubs.first { $0.name == name } }
        let owners = ProviderTokenClaims.text(of: request.authorization).flatMap { keys.known($0)?.owners } ?? []
        return owner(among: owners, for: request)?.hub ?? hubs.first
    }

    /// A key may be for several apps, and for both environments.
    private func owner(among owners: [ProviderKeys.Owner], for request: EmulatorRequest) -> ProviderKeys.Owner? {
        guard owners.count > 1 else { return owners.first }
        let app = APNsHeaders.app(of: request[.apnsTopic] ?? "")
        let environment = Self.environment(ofHost: request.host)
        let ofApp = owners.filter { $0.sender.topic == app }
        return ofApp.first { environment == nil || $0.sender.environment == environment } ?? ofApp.first ?? owners.first
    }

    /// The environment that a name of the server stands for: `api.sandbox.push.apple.com`, `sandbox.localhost`. nil: that of the
    /// key.
    static func environment(ofHost host: String) -> APNsEnvironment? {
        let host = host.lowercased()
        if ["sandbox.", "api.sandbox.", "api.development."].contains(where: host.hasPrefix) { return .sandbox }
        return ["production.", "api.push."].contains(where: host.hasPrefix) ? .production : nil
    }

    func answer(
        _ operation: APNsOperation, _ request: EmulatorRequest, _ body: UploadedBody, _ entry: JournalEntry
    ) -> Response {
        var entry = entry.with(body)
        let id = entry.notification
        do throws(APNsError) {
            let (hub, sender) = try admit(operation, request)
            let pushes = try take(operation, request, body, hub, sender, &entry)
            entry.status = 200
            journal.record(entry, pushes)
            return Self.success(id: id, sender)
        } catch {
            entry.status = error.status
            entry.refusal = error.line
            journal.record(entry)
            return error.response(id: id)
        }
    }

    private static func success(id: String?, _ sender: EmulatorSettings.APNsSender?) -> Response {
        var response = Response(status: 200)
        if let id { response.headers[.apnsID] = id }
        if sender?.environment == .sandbox { response.headers[.apnsUniqueID] = FakeIDs.guid() }
        return response
    }

    /// Checks path, method and token.
    ///
    /// - Throws: Apple's refusal.
    private func admit(
        _ operation: APNsOperation, _ request: EmulatorRequest
    ) throws(APNsError) -> (Hub, EmulatorSettings.APNsSender) {
        guard operation.isSend else { throw .badPath }
        guard request.method == .post else { throw .methodNotAllowed }
        // With a certificate a token means nothing.
        if let name = request.connection?.clientName { return try admit(certificateOf: name, request) }
        if request[.authorization] == nil { throw .missingProviderToken }
        guard request.headers[values: .authorization].count == 1 else { throw .duplicateHeaders }
        guard let text = ProviderTokenClaims.text(of: request.authorization), let known = keys.known(text) else {
            throw .invalidProviderToken
        }
        let effects = request.faultEffects
        let owner = owner(among: known.owners, for: request)
        let isRevoked = owner.map { $0.key == 0 && effects.rotated == .primary || effects.rotated == .both } ?? true
        // Clients sign by their own clock, which does not advance with the emulator's.
        let now = clock.now - clock.advance + effects.skewSeconds
        let connection = request.connection?.kept { APNsConnection() } ?? APNsConnection()
        let isEnded = keys.isEnded(text)
        try connection.admit(known.token, isGenuine: known.isGenuine && !isRevoked, isEnded: isEnded, now: now)
        guard let owner else { throw .invalidProviderToken }
        if let environment = Self.environment(ofHost: request.host), environment != owner.sender.environment {
            throw .badEnvironmentKey
        }
        if connection.trust() { request.connection?.limitStreams(to: Self.streams) }
        return (owner.hub, owner.sender)
    }

    /// - Throws: Apple's refusal of a certificate.
    private func admit(
        certificateOf name: String, _ request: EmulatorRequest
    ) throws(APNsError) -> (Hub, EmulatorSettings.APNsSender) {
        guard let hub = hubs.first(where: { $0.name == name }), let sender = hub.apns,
            request.faultEffects.rotated == nil
        else { throw .badCertificate }
        if let environment = Self.environment(ofHost: request.host), environment != sender.environment {
            throw .badCertificateEnvironment
        }
        if request.connection?.kept({ APNsConnection() }).trust() == true {
            request.connection?.limitStreams(to: Self.streams)
        }
        return (hub, sender)
    }

    private func take(
        _ operation: APNsOperation, _ request: EmulatorRequest, _ body: UploadedBody, _ hub: Hub,
        _ sender: EmulatorSettings.APNsSender, _ entry: inout JournalEntry
    ) throws(APNsError) -> [Push] {
        let send = try APNsSend(request, handle: operation.handle, body.bytes, app: sender.topic)
        let delivery = try APNsDelivery(send, hub, sender, others: hubs, at: entry.at, warnings: warnings)
        entry.taken = true
        return delivery.pushes
    }

    /// The token of the request is too old from now on, on every connection.
    func endToken(of request: EmulatorRequest) {
        if let text = ProviderTokenClaims.text(of: request.authorization) { keys.end(text) }
    }

    /// Records a send that a fault has hit. The client sees `response` instead of APNs' own.
    ///
    /// - Parameters:
    ///   - response: nil: there is none.
    ///   - reason: in it, if the fault names one.
    ///   - isTaken: whether the send is taken anyway.
    /// - Returns: `response`, with the message's id; or the refusal, when it says 2xx for a send that APNs would refuse.
    func recordFault(
        _ operation: APNsOperation, _ request: EmulatorRequest, _ body: UploadedBody, _ entry: JournalEntry,
        response: Response?, reason: String?, isTaken: Bool
    ) -> Response? {
        var response = response
        var entry = entry.with(body)
        var pushes: [Push] = []
        if isTaken {
            do throws(APNsError) {
                let (hub, sender) = try admit(operation, request)
                pushes = try take(operation, request, body, hub, sender, &entry)
            } catch {
                entry.refusal = error.line
                if let status = response?.status, status < 300 { response = error.response(id: entry.notification) }
            }
        }
        response?.headers[.apnsID] = entry.notification
        if let reason { request.connection?.kept { APNsConnection() }.suffer(reason, now: clock.now - clock.advance) }
        entry.status = response?.status
        journal.record(entry, pushes)
        return response
    }

    /// The entry of a send as it arrives.
    func entry(_ operation: APNsOperation, _ request: EmulatorRequest, fault: Int? = nil) -> JournalEntry {
        var entry = JournalEntry(
            number: 0, hub: hub(of: request)?.name ?? "", kind: .direct, at: clock.now,
            elapsed: started.duration(to: .now) / .seconds(1), taken: false, format: SendFormat.apple.rawValue,
            handles: operation.handle == nil ? 0 : 1, clientTracking: request[.trackingID], reached: 0,
            request: SentRequest(request))
        entry.fault = fault
        // One that is no UUID is refused, and not repeated.
        entry.notification = request[.apnsID].flatMap { APNsHeaders.isUUID($0) ? $0 : nil } ?? FakeIDs.guid()
        return entry
    }
}
