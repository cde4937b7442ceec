/// One notification whose telemetry can be requested by its id.
struct TrackedNotification: Sendable {
    enum Fate: Sendable {
        /// Not due yet.
        case scheduled
        /// At this time, seconds since 1970.
        case canceled(Double)
        /// At this time, seconds since 1970.
        case sent(Double, DeliveryTally)
    }

    let id: String
    let hub: String
    /// Seconds since 1970.
    let takenAt: Double
    let body: String?
    let tags: String?
    /// Of the send. Telemetry has the address of the error list only when both requests use a version that knows it.
    let version: APIVersion?
    var fate: Fate

    init(_ entry: JournalEntry, id: String, version: APIVersion?, fate: Fate) {
        self.id = id
        hub = entry.hub
        takenAt = entry.at
        body = entry.body
        tags = entry.tags
        self.version = version
        self.fate = fate
    }

    /// The telemetry at a time; nil: not ready.
    ///
    /// - Parameters:
    ///   - rules: the newest last.
    ///   - delay: seconds after the send until it is ready, unless a rule says otherwise.
    ///   - origin: `http://host`, as the client reached the emulator.
    ///   - version: of the request for telemetry.
    func details(
        at now: Double, rules: [TelemetryRule], delay: Double, origin: String, version requested: APIVersion?
    ) -> NotificationDetails? {
        let rules = rules.reversed().filter { $0.matches(self) }
        let ready = takenAt + (rules.lazy.compactMap(\.delaySeconds).first ?? delay)
        guard now >= ready else { return nil }
        let host = origin.split(separator: "/").last ?? ""
        let suffix = version.map { "?api-version=\($0.text)" } ?? ""
        var details = NotificationDetails(
            notification: id, location: "sb://\(host)/\(hub)/messages/\(id)\(suffix)", state: "", enqueuedAt: takenAt)
        switch fate {
        case .scheduled: details.state = "Scheduled"
        case .canceled(let time):
            details.state = "Canceled"
            details.endedAt = time
        case .sent(let time, let tally):
            details.startedAt = time
            details.body = body
            details.tags = tags
            if let seconds = rules.lazy.compactMap(\.processingSeconds).first, now < max(ready, time) + seconds {
                details.state = "Processing"
                break
            }
            details.state = tally.isEmpty ? "NoTargetFound" : "Completed"
            details.endedAt = time
            details.targetPlatforms = tally.targetPlatforms
            details.counts = tally.counts
        }
        if let state = rules.lazy.compactMap(\.state).first { details.state = state }
        if let counts = rules.lazy.compactMap(\.outcomes).first { details.counts = counts }
        if [version, requested].allSatisfy({ $0.map { $0 >= .withErrorDetails } ?? true }),
            details.counts.values.contains(where: { $0.contains { $0.key != "Success" && $0.value > 0 } })
        {
            details.errorDetails = "\(origin)/_emulator/telemetry/\(id)?sig=emulator"
        }
        return details
    }

    /// The first pushes that did not arrive; at most `DeliveryTally.failureLimit`.
    var failures: [DeliveryTally.Failure] {
        if case .sent(_, let tally) = fate { tally.failures } else { [] }
    }
}
