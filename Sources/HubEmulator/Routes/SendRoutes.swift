import HTTPTypes
import Signing

/// `POST /{hub}/messages`, `/{hub}/messages/$batch` and `/{hub}/schedulednotifications`: every send ends here, whether it is taken, refused or spoilt to order, and every one is
/// written down once.
struct SendRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let started: ContinuousClock.Instant
    let ledger: Journal
    let warnings: WarningLog
    let schedules: ScheduleRoutes

    /// The hub's own answer: takes the send, or refuses it.
    func answer(_ call: EmulatorRequest, hub: Hub, body: UploadedBody, _ arrival: JournalEntry) -> Response {
        let entry = arrival.with(body)
        do throws(ServiceError) {
            try hub.authorise(call, for: [.send], now: now())
            let submission = try ValidatedSend(call, body: body.bytes, tier: tier)
            if submission.kind == .scheduled { return try schedule(submission, call, hub, entry) }
            return take(submission, call, hub, entry)
        } catch {
            return refuse(error, entry)
        }
    }

    /// - Parameter name: as in the path.
    func refuseUnknownHub(_ call: EmulatorRequest, named name: String) -> Response {
        refuse(.noSuchHub, arrival(call, hub: String(name.prefix(260))))
    }

    /// A send nobody read.
    func note(_ arrival: JournalEntry) { ledger.record(arrival) }

    private func take(_ submission: ValidatedSend, _ call: EmulatorRequest, _ hub: Hub, _ entry: JournalEntry)
        -> Response
    {
        let time = CivilTime(secondsSince1970: now())
        let delivery = Delivery(submission, call, hub, at: entry.at, warnings: warnings)
        var entry = entry
        entry.taken = true
        entry.status = 201
        entry.handles = submission.audience.handleCount
        entry.tracking = FakeIDs.tracking()
        var answer = Response.xml(201, submission.kind == .test ? delivery.outcome : [])
        answer.headers[.trackingID] = entry.tracking
        if tier.has(.notificationID) {
            let notification = FakeIDs.notification(time)
            entry.notification = notification
            schedules.telemetry.add(
                TrackedNotification(
                    entry, id: notification, version: call.version, fate: .sent(entry.at, delivery.tally)))
            answer.headers[.location] = location(of: notification, submission.kind, call, hub)
        }
        ledger.record(entry, delivery.pushes)
        return answer
    }

    /// Takes the send for later.
    private func schedule(
        _ submission: ValidatedSend, _ call: EmulatorRequest, _ hub: Hub, _ entry: JournalEntry
    ) throws(ServiceError) -> Response {
        var entry = entry
        let notification = try schedules.keep(submission, call, hub, &entry)
        entry.taken = true
        entry.status = 201
        entry.tracking = FakeIDs.tracking()
        var answer = Response.xml(201)
        answer.headers[.trackingID] = entry.tracking
        answer.headers[.location] = location(of: notification, .scheduled, call, hub)
        ledger.record(entry)
        schedules.schedules.deliverDue()
        return answer
    }

    /// As recorded (locations.json): the id is the last segment, and what was asked for follows again.
    private func location(of notification: String, _ kind: SendKind, _ call: EmulatorRequest, _ hub: Hub) -> String {
        var query = call.parameter("api-version").map { ["api-version=\(SAS.encode($0))"] } ?? []
        if kind.isToHandles { query.append("direct") }
        let folder = kind == .scheduled ? "schedulednotifications/" : "messages/"
        let path = folder + (kind == .batch ? "$batch/" : "") + notification
        return "\(call.origin)/\(hub.name)/\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private func refuse(_ refusal: ServiceError, _ entry: JournalEntry) -> Response {
        var entry = entry
        entry.status = refusal.status
        entry.refusal = refusal.detail ?? "the policy lacks the right"
        let tracking = FakeIDs.tracking()
        entry.tracking = tracking
        ledger.record(entry)
        return .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now()))
    }

    /// Writes down what a fault makes of the send: `answer` is what the client sees instead of the hub's.
    ///
    /// - Returns: that answer; where the fault says that the hub took a send which it refuses, the refusal: no hub answers
    ///   2xx to what it has not taken.
    func spoil(
        _ call: EmulatorRequest, _ hub: Hub, body: UploadedBody, _ arrival: JournalEntry, answer: Response?,
        isTaken: Bool
    ) -> Response? {
        var answer = answer
        var entry = arrival.with(body)
        entry.status = answer?.status
        entry.tracking = answer?.headers[.trackingID]
        var pushes: [Push] = []
        if isTaken {
            do throws(ServiceError) {
                try hub.authorise(call, for: [.send], now: now())
                let submission = try ValidatedSend(call, body: body.bytes, tier: tier)
                entry.handles = submission.audience.handleCount
                if submission.kind == .scheduled {
                    try schedules.keep(submission, call, hub, &entry)
                } else {
                    pushes = Delivery(submission, call, hub, at: entry.at, warnings: warnings).pushes
                }
                entry.taken = true
            } catch {
                entry.refusal = error.detail ?? "the policy lacks the right"
                if let tracking = entry.tracking, let status = answer?.status, status < 300 {
                    let refusal = Response.refusal(error, tracking: tracking, at: CivilTime(secondsSince1970: now()))
                    answer?.status = refusal.status
                    answer?.body = refusal.body
                    entry.status = refusal.status
                }
            }
        }
        ledger.record(entry, pushes)
        if entry.dueAt != nil { schedules.schedules.deliverDue() }
        return answer
    }

    func arrival(_ call: EmulatorRequest, hub: Hub, fault: Int?) -> JournalEntry {
        var entry = arrival(call, hub: hub.name)
        entry.fault = fault
        return entry
    }

    private func arrival(_ call: EmulatorRequest, hub: String) -> JournalEntry {
        let elapsed = started.duration(to: .now)
        return JournalEntry(
            number: 0, hub: hub, kind: SendKind(call), at: now(), elapsed: elapsed / .seconds(1), taken: false,
            tags: call[.tags],
            format: call[.format], clientTracking: call[.trackingID], reached: 0)
    }
}

extension JournalEntry {
    fileprivate func with(_ body: UploadedBody) -> JournalEntry {
        var entry = self
        entry.body = body.bytes.map { String(decoding: $0, as: UTF8.self) }
        return entry
    }
}
