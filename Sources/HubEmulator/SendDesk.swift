import HTTPTypes
import HummingbirdCore
import Signing

/// `POST /{hub}/messages` and `/{hub}/messages/$batch`: every send ends here, whether it is taken, refused or spoilt to order, and every one is
/// written down once.
struct SendDesk: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let started: ContinuousClock.Instant
    let ledger: Ledger
    let faults: FaultScript
    let warnings: WarningLog

    /// - Parameters:
    ///   - name: the hub's name as in the path, for a hub that does not exist.
    ///   - hub: nil when there is none of that name.
    /// - Throws: `Hangup` when the connection is to be closed without an answer, and what reading the body throws.
    func answer(_ call: Call, hub: Hub?, named name: String, body: RequestBody) async throws -> Answer {
        var entry = arrival(call, hub: hub?.name ?? String(name.prefix(260)))
        guard let hub else { return refuse(.noSuchHub, entry) }
        let struck = faults.strike(hub: hub.name)
        entry.fault = struck?.number
        if let fault = struck?.fault, fault.closing == .beforeBody {
            ledger.record(entry)
            try await fault.wait()
            throw Hangup(isReset: fault.reset)
        }
        let content = try await UploadedBody.read(body, limit: entry.kind.bodyLimit)
        entry.body = content.bytes.map { String(decoding: $0, as: UTF8.self) }
        if let fault = struck?.fault, fault.replacesAnswer {
            return try await spoil(fault, call, hub, content, entry)
        }
        var answer = settle(call, hub, content, entry)
        if content.isUnfinished { answer.closesConnection = true }
        try await struck?.fault.wait()
        return answer
    }

    /// The hub's own answer: takes the send, or refuses it.
    private func settle(_ call: Call, _ hub: Hub, _ content: UploadedBody, _ entry: JournalEntry) -> Answer {
        do throws(ServiceError) {
            try hub.authorise(call, for: [.send], now: now())
            return take(try Submission(call, body: content.bytes, tier: tier), call, hub, entry)
        } catch {
            return refuse(error, entry)
        }
    }

    private func take(_ submission: Submission, _ call: Call, _ hub: Hub, _ entry: JournalEntry) -> Answer {
        let time = CivilTime(secondsSince1970: now())
        let delivery = Delivery(submission, call, hub, at: entry.at, warnings: warnings)
        var entry = entry
        entry.taken = true
        entry.status = 201
        entry.handles = submission.audience.handleCount
        entry.tracking = Identifier.tracking()
        var answer = Answer.xml(201, submission.kind == .test ? delivery.outcome : [])
        answer.headers[.trackingID] = entry.tracking
        answer.headers[.correlationID] = Identifier.guid()
        if tier == .standard {
            let notification = Identifier.notification(time)
            entry.notification = notification
            answer.headers[.location] = location(of: notification, submission.kind, call, hub)
        }
        ledger.record(entry, delivery.pushes)
        return answer
    }

    /// As recorded (locations.json): the id is the last segment, and what was asked for follows again.
    private func location(of notification: String, _ kind: SendKind, _ call: Call, _ hub: Hub) -> String {
        var query = call.parameter("api-version").map { ["api-version=\(SAS.encode($0))"] } ?? []
        if kind.isToHandles { query.append("direct") }
        let path = "messages/" + (kind == .batch ? "$batch/" : "") + notification
        return "http://\(call.host)/\(hub.name)/\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private func refuse(_ refusal: ServiceError, _ entry: JournalEntry) -> Answer {
        var entry = entry
        entry.status = refusal.status
        entry.refusal = refusal.detail ?? "the policy lacks the right"
        let tracking = Identifier.tracking()
        entry.tracking = tracking
        ledger.record(entry)
        return .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now()))
    }

    /// What the fault orders instead of the hub's own answer. The journal has the send before anything is waited for.
    private func spoil(
        _ fault: Fault, _ call: Call, _ hub: Hub, _ content: UploadedBody, _ entry: JournalEntry
    ) async throws -> Answer {
        var entry = entry
        let answer = fault.answer(now: now())
        entry.status = answer?.status
        entry.tracking = answer?.headers[.trackingID]
        var pushes: [Push] = []
        if fault.taken {
            do throws(ServiceError) {
                try hub.authorise(call, for: [.send], now: now())
                let submission = try Submission(call, body: content.bytes, tier: tier)
                entry.handles = submission.audience.handleCount
                pushes = Delivery(submission, call, hub, at: entry.at, warnings: warnings).pushes
                entry.taken = true
            } catch {
                entry.refusal = error.detail ?? "the policy lacks the right"
            }
        }
        ledger.record(entry, pushes)
        try await fault.wait()
        guard let answer else { throw Hangup(isReset: fault.reset) }
        return answer
    }

    private func arrival(_ call: Call, hub: String) -> JournalEntry {
        let elapsed = started.duration(to: .now)
        return JournalEntry(
            number: 0, hub: hub, kind: SendKind(call), at: now(), elapsed: elapsed / .seconds(1), taken: false,
            tags: call.headers[.tags],
            format: call.headers[.format], clientTracking: call.headers[.trackingID], reached: 0)
    }
}

/// Thrown to close a connection without another word.
struct Hangup: Error {
    /// RST instead of FIN.
    var isReset = false
}
