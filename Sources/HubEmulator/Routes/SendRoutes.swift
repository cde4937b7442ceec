import HTTPTypes
import Signing

/// `POST /{hub}/messages`, `/{hub}/messages/$batch` and `/{hub}/schedulednotifications`. Every send ends here, whether it
/// is taken, refused or hit by a fault, and is recorded in the journal exactly once.
struct SendRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let started: ContinuousClock.Instant
    let journal: Journal
    let warnings: WarningLog
    let schedules: ScheduleRoutes

    /// The hub's own response: takes the send or refuses it.
    func answer(_ request: EmulatorRequest, hub: Hub, body: UploadedBody, _ entry: JournalEntry) -> Response {
        let entry = entry.with(body)
        do throws(ServiceError) {
            try hub.authorise(request, for: [.send], now: now())
            let send = try ValidatedSend(request, body: body.bytes, tier: tier)
            if send.kind == .scheduled { return try schedule(send, request, hub, entry) }
            return take(send, request, hub, entry)
        } catch {
            return refuse(error, entry)
        }
    }

    /// - Parameter name: as in the path.
    func refuseUnknownHub(_ request: EmulatorRequest, named name: String) -> Response {
        refuse(.noSuchHub, entry(for: request, hub: String(name.prefix(260))))
    }

    /// Records a send whose body was not read.
    func recordUnread(_ entry: JournalEntry) { journal.record(entry) }

    private func take(_ send: ValidatedSend, _ request: EmulatorRequest, _ hub: Hub, _ entry: JournalEntry)
        -> Response
    {
        let time = CivilTime(secondsSince1970: now())
        let delivery = Delivery(send, request, hub, at: entry.at, warnings: warnings)
        var entry = entry
        entry.taken = true
        entry.status = 201
        entry.handles = send.audience.handleCount
        entry.tracking = FakeIDs.tracking()
        var response = Response.xml(201, send.kind == .test ? delivery.outcome : [])
        response.headers[.trackingID] = entry.tracking
        if tier.has(.notificationID) {
            let notification = FakeIDs.notification(time)
            entry.notification = notification
            schedules.telemetry.add(
                TrackedNotification(
                    entry, id: notification, version: request.version, fate: .sent(entry.at, delivery.tally)))
            response.headers[.location] = location(of: notification, send.kind, request, hub)
        }
        journal.record(entry, delivery.pushes)
        return response
    }

    /// Takes the send for later delivery.
    private func schedule(
        _ send: ValidatedSend, _ request: EmulatorRequest, _ hub: Hub, _ entry: JournalEntry
    ) throws(ServiceError) -> Response {
        var entry = entry
        let notification = try schedules.keep(send, request, hub, &entry)
        entry.taken = true
        entry.status = 201
        entry.tracking = FakeIDs.tracking()
        var response = Response.xml(201)
        response.headers[.trackingID] = entry.tracking
        response.headers[.location] = location(of: notification, .scheduled, request, hub)
        journal.record(entry)
        schedules.schedules.deliverDue()
        return response
    }

    /// As recorded (docs/wire/notification-hubs.md, "Answers and ids"): the id last, then the query as received.
    private func location(of notification: String, _ kind: SendKind, _ request: EmulatorRequest, _ hub: Hub) -> String {
        var query = request.parameter("api-version").map { ["api-version=\(SAS.encode($0))"] } ?? []
        if kind.isToHandles { query.append("direct") }
        let folder = kind == .scheduled ? "schedulednotifications/" : "messages/"
        let path = folder + (kind == .batch ? "$batch/" : "") + notification
        return "\(request.origin)/\(hub.name)/\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private func refuse(_ refusal: ServiceError, _ entry: JournalEntry) -> Response {
        var entry = entry
        entry.status = refusal.status
        entry.refusal = refusal.detail ?? "the policy lacks the right"
        let tracking = FakeIDs.tracking()
        entry.tracking = tracking
        journal.record(entry)
        return .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now()))
    }

    /// Records a send that a fault has hit. The client sees `response` instead of the hub's own.
    ///
    /// - Parameters:
    ///   - response: nil: the connection is closed without a response.
    ///   - isTaken: whether the hub takes the send anyway.
    /// - Returns: `response`; or the refusal, when the fault says 2xx for a send that the hub would refuse.
    func recordFault(
        _ request: EmulatorRequest, _ hub: Hub, body: UploadedBody, _ entry: JournalEntry, response: Response?,
        isTaken: Bool
    ) -> Response? {
        var response = response
        var entry = entry.with(body)
        entry.status = response?.status
        entry.tracking = response?.headers[.trackingID]
        var pushes: [Push] = []
        if isTaken {
            do throws(ServiceError) {
                try hub.authorise(request, for: [.send], now: now())
                let send = try ValidatedSend(request, body: body.bytes, tier: tier)
                entry.handles = send.audience.handleCount
                if send.kind == .scheduled {
                    try schedules.keep(send, request, hub, &entry)
                } else {
                    pushes = Delivery(send, request, hub, at: entry.at, warnings: warnings).pushes
                }
                entry.taken = true
            } catch {
                entry.refusal = error.detail ?? "the policy lacks the right"
                if let tracking = entry.tracking, let status = response?.status, status < 300 {
                    let refusal = Response.refusal(error, tracking: tracking, at: CivilTime(secondsSince1970: now()))
                    response?.status = refusal.status
                    response?.body = refusal.body
                    entry.status = refusal.status
                }
            }
        }
        journal.record(entry, pushes)
        if entry.dueAt != nil { schedules.schedules.deliverDue() }
        return response
    }

    /// The entry of a send as it arrives.
    func entry(for request: EmulatorRequest, hub: Hub, fault: Int?) -> JournalEntry {
        var entry = entry(for: request, hub: hub.name)
        entry.fault = fault
        return entry
    }

    private func entry(for request: EmulatorRequest, hub: String) -> JournalEntry {
        let elapsed = started.duration(to: .now)
        return JournalEntry(
            number: 0, hub: hub, kind: SendKind(request), at: now(), elapsed: elapsed / .seconds(1), taken: false,
            tags: request[.tags],
            format: request[.format], clientTracking: request[.trackingID], reached: 0,
            request: SentRequest(request))
    }
}

extension JournalEntry {
    func with(_ body: UploadedBody) -> JournalEntry {
        var entry = self
        entry.body = body.bytes.map { String(decoding: $0, as: UTF8.self) }
        return entry
    }
}
