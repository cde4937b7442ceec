/// One notification that can be asked about by its id.
struct TrackedNotification: Sendable {
    enum Fate: Sendable {
        /// Waits for its time.
        case scheduled
        /// At this time, seconds since 1970, by whoever scheduled it.
        case canceled(Double)
        /// Went out at this time, seconds since 1970.
        case sent(Double, DeliveryTally)
    }

    let id: String
    let hub: String
    /// Seconds since 1970.
    let takenAt: Double
    let body: String?
    let tags: String?
    /// Of the send; telemetry names the list of errors only to who asked for it on both occasions.
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

    /// What telemetry says at a time; nil: it is not ready.
    ///
    /// - Parameters:
    ///   - rules: the newest last.
    ///   - delay: seconds after the send in which it is not ready, where no rule says otherwise.
    ///   - origin: `http://host`, as the asking client came in.
    ///   - version: of the asking request.
    func details(
        at now: Double, rules: [TelemetryRule], delay: Double, origin: String, version asked: APIVersion?
    ) -> NotificationDetails? {
        let rules = rules.reversed().filter { $0.fits(self) }
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
        if [version, asked].allSatisfy({ $0.map { $0 >= .withErrorDetails } ?? true }),
            details.counts.values.contains(where: { $0.contains { $0.key != "Success" && $0.value > 0 } })
        {
            details.errorDetails = "\(origin)/_emulator/telemetry/\(id)?sig=emulator"
        }
        return details
    }

    /// The first pushes that reached nobody; at most `DeliveryTally.failureLimit`.
    var failures: [DeliveryTally.Failure] {
        if case .sent(_, let tally) = fate { tally.failures } else { [] }
    }
}
