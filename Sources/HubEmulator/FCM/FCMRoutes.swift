import HTTPTypes
import PushModel

/// What the emulator serves as Google does: access tokens, sends and subscriptions to topics. Every send is recorded in the
/// journal exactly once.
struct FCMRoutes: Sendable {
    let grants: FCMGrants
    let clock: EmulatorClock
    let started: ContinuousClock.Instant
    let journal: Journal
    let warnings: WarningLog

    func answer(
        _ operation: FCMOperation, _ request: EmulatorRequest, _ body: UploadedBody, _ entry: JournalEntry?
    ) -> Response {
        let topics = FCMTopicRoutes(grants: grants, feed: journal.feed)
        switch operation {
        case .subscription(let project, let token, let topic):
            return topics.change(request, project: project, token: token, topic: topic)
        case _ where request.method != .post:
            return FCMError(status: 404, message: "This address takes POST, not \(request.method.rawValue).").response
        case .token: return grants.answer(request, body)
        case .send(let project): return send(request, project: project, body, entry ?? self.entry(request, project))
        case .topics(let isOn): return topics.change(request, body, isOn: isOn)
        }
    }

    private func send(
        _ request: EmulatorRequest, project: String, _ body: UploadedBody, _ entry: JournalEntry
    ) -> Response {
        let send = Self.read(body)
        var entry = Self.named(entry.with(body), by: send)
        do throws(FCMError) {
            let (name, pushes) = try take(request, project: project, send, &entry)
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
        _ request: EmulatorRequest, project: String, _ send: Result<FCMSend, FCMError>, _ entry: inout JournalEntry
    ) throws(FCMError) -> (name: String, pushes: [Push]) {
        let hub = try grants.sender(of: request, project)
        let send = try send.get()
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
        let send = Self.read(body)
        var entry = Self.named(entry.with(body), by: send)
        var name = "projects/\(project)/messages/\(Self.messageID(at: entry.at, isToTopics: false))"
        var pushes: [Push] = []
        if isTaken {
            do throws(FCMError) {
                (name, pushes) = try take(request, project: project, send, &entry)
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
            number: 0, hub: grants.hub(ofProject: project)?.name ?? String(project.prefix(260)), at: clock.now,
            elapsed: started.duration(to: .now) / .seconds(1), taken: false, format: SendFormat.fcmv1.rawValue,
            clientTracking: request[.trackingID], reached: 0, request: SentRequest(request))
        entry.fault = fault
        return entry
    }

    private static func read(_ body: UploadedBody) -> Result<FCMSend, FCMError> {
        Result { () throws(FCMError) in
            guard let bytes = body.bytes else {
                throw .invalid("", "Request payload size exceeds the limit: \(FCMOperation.sendLimit) bytes.")
            }
            return try FCMSend(bytes)
        }
    }

    /// With what a send says about whom it is for, whatever becomes of it. A body that is no send says nothing.
    private static func named(_ entry: JournalEntry, by send: Result<FCMSend, FCMError>) -> JournalEntry {
        guard case .success(let send) = send else { return entry }
        var entry = entry
        entry.tags = send.topics
        if case .handle = send.target { entry.handles = 1 }
        entry.kind = send.isTrial ? .trial : send.topics == nil ? .direct : .send
        return entry
    }

    /// In the forms that FCM gives: `0:1500415314455276%31bd1c9631bd1c96` for a token, digits for topics.
    private static func messageID(at time: Double, isToTopics: Bool) -> String {
        let micros = UInt64(min(max(0, time * 1_000_000), 9e18).rounded())
        let hex = FakeIDs.guid().filter { $0 != "-" }.prefix(16)
        return isToTopics ? "\(UInt64(hex, radix: 16) ?? micros)" : "0:\(micros)%\(hex)"
    }
}
