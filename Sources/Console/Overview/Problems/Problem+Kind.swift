extension Problem {
    /// What sort of problem. Many of one kind are shown as one line.
    enum Kind: String, Sendable, CaseIterable {
        case databaseAway, schema, noWorker, workerSilent, workerTrouble, unserved, held, failing, gateClosed, noPass,
            paused
        case urgentWaits, messagesWait, rejected, inDoubt, token, certificate, clock, differing
        case runPaused, runUnserved, runFailed, schedule, approval
        case snapshot, defaultPartition, pulse, database

        /// Which alerts of `deploy/prometheus/fanfare.rules.yml` it stands for; a page shows them sooner, because a person looks.
        var alerts: [String] {
            switch self {
            case .noWorker: ["FanfareNoWorker"]
            case .workerSilent: ["FanfareWorkerSilent", "FanfareWorkerDown"]
            case .workerTrouble: ["FanfareResultsUnwritten"]
            case .held, .failing: ["FanfareHubClosed"]
            case .gateClosed: ["FanfareThrottled"]
            case .urgentWaits: ["FanfareUrgentMessagesWait"]
            case .messagesWait: ["FanfareMessagesWait"]
            case .rejected: ["FanfareRejected"]
            case .inDoubt: ["FanfareInDoubt"]
            case .token: ["FanfareTokenEnds"]
            case .certificate: ["FanfareCertificateEnds"]
            case .clock: ["FanfareClockWrong"]
            case .runPaused: ["FanfareRunPausedByItself"]
            case .schedule, .runFailed: ["FanfareStartMissed"]
            case .snapshot: ["FanfareSnapshotHeld"]
            case .defaultPartition: ["FanfareDefaultPartition"]
            case .pulse: ["FanfareDatabaseLookFails"]
            case .databaseAway, .schema, .unserved, .noPass, .paused, .differing, .runUnserved, .approval, .database: []
            }
        }

        /// Alerts that no row tells: only the process of a worker knows.
        static let untold = ["FanfareReloadFailed"]

        /// Several of them: `4 more hubs are held`.
        func more(_ count: Int) -> String {
            let (one, many) = words
            return "\(count) more: \(count == 1 ? one : many)"
        }

        private var words: (one: String, many: String) {
            switch self {
            case .held: ("hub that is held", "hubs that are held")
            case .failing: ("hub that is not reached", "hubs that are not reached")
            case .gateClosed: ("hub that asks to wait", "hubs that ask to wait")
            case .noPass: ("hub without an access token", "hubs without an access token")
            case .paused: ("hub that is paused", "hubs that are paused")
            case .unserved: ("hub without a worker", "hubs without a worker")
            case .urgentWaits, .messagesWait: ("hub whose messages wait", "hubs whose messages wait")
            case .rejected: ("hub with failures", "hubs with failures")
            case .inDoubt: ("hub with doubts", "hubs with doubts")
            case .workerSilent, .workerTrouble: ("worker", "workers")
            case .runPaused, .runUnserved, .runFailed: ("run", "runs")
            case .schedule, .approval: ("campaign", "campaigns")
            case .token, .certificate, .clock, .differing: ("hub", "hubs")
            case .databaseAway, .schema, .noWorker, .snapshot, .defaultPartition, .pulse, .database:
                ("finding", "findings")
            }
        }
    }
}
