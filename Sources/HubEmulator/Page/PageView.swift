import Pages
import PushModel

/// The values for the page's template.
struct PageView: Sendable {
    let pageTitle: String
    let pageInstance: String
    let pageEvents: String
    let pageHub: String?
    let pageTag: String?
    let pageText: String?
    let pageStatus: String?
    let pageFind: String?
    let isFiltered: Bool
    let navLinks: [NavLink]
    let hubLinks: [HubLink]
    /// Which sends the journal shows.
    let sendLinks: [SendLink]
    let hasSeveralHubs: Bool
    let counts: CountsView
    let clock: ClockView
    let hasDevices: Bool
    let devices: [DeviceViewModel]
    /// nil: the page has no phones.
    let pageRange: String?
    let newerLink: String?
    let olderLink: String?
    let hasSends: Bool
    let sends: [SendView]
    let warningList: WarningsView
    let faultList: FaultsView
    /// Only the first page without a filter adds new devices.
    let isFirstPage: Bool
    let exampleHub: String

    struct HubLink: Sendable {
        let hubLinkName: String
        let hubLinkAddress: String
        let isCurrentHub: Bool
    }

    struct SendLink: Sendable {
        let sendLinkName: String
        let sendLinkAddress: String
        let isCurrentSend: Bool
    }
}

/// The counts in the page's header. Encoded for the script under the same names.
struct CountsView: Sendable, Equatable, Encodable {
    let countRate: String
    let countTaken: String
    let countShown: String
    let countRefused: String
    let countDevices: String

    init(_ count: JournalCount, rate: Double, devices: Int) {
        countRate = rate >= 10 || rate == 0 ? Int(rate.rounded()).grouped : "\((rate * 10).rounded() / 10)"
        countTaken = count.taken.grouped
        countShown = count.shown.grouped
        countRefused = count.refused.grouped
        countDevices = devices.grouped
    }
}

extension Int {
    /// `12,345`.
    var grouped: String { HumanFormat.grouped(self) }
}

/// One line of the journal.
struct SendView: Sendable {
    let sendNumber: Int
    let sendHub: String
    let sendTime: TimeView
    let sendStatus: String
    let sendLook: String
    let sendAudience: String
    let sendKind: String?
    let sendReached: String
    let sendFault: Int?
    let sendRefusal: String?
    let sendSummary: String?

    init(_ entry: JournalEntry) {
        sendNumber = entry.number
        sendHub = entry.hub
        sendTime = TimeView(entry.at)
        sendStatus = entry.status.map { "\($0)" } ?? "no response"
        sendLook = entry.status.map { $0 < 300 ? "good" : $0 == 429 || $0 == 403 ? "slow" : "bad" } ?? "bad"
        switch entry.kind {
        case .direct, .batch:
            sendAudience = entry.handles.map { $0 == 1 ? "1 handle" : "\($0.grouped) handles" } ?? "handles"
        default: sendAudience = entry.tags.map { $0.isEmpty ? "no device" : String($0.prefix(200)) } ?? "all devices"
        }
        sendKind = entry.kind == .send ? nil : entry.kind.rawValue
        let reached = entry.reached == 1 ? "1 notification" : "\(entry.reached.grouped) notifications"
        sendReached =
            entry.taken ? reached : entry.kind == .trial && entry.refusal == nil ? "checked only" : "not taken"
        sendFault = entry.fault
        sendRefusal = entry.refusal.map { String($0.prefix(200)) }
        sendSummary = entry.taken ? Self.summary(entry.body) : nil
    }

    /// The first property of a template message, or the text that a device would show.
    private static func summary(_ body: String?) -> String? {
        guard let body else { return nil }
        // A body in a platform's own format is not a flat object.
        if let first = try? StringObject(body).pairs.first {
            return String("\(first.name): \(first.value)".prefix(120))
        }
        let preview = NotificationPreview(body)
        return (preview.title ?? preview.body).map { String($0.prefix(120)) }
    }
}

struct WarningsView: Sendable, Equatable {
    let hasWarnings: Bool
    let warningCount: Int
    /// The newest.
    let warningRows: [Row]
    let hasMoreWarnings: Bool
    let moreWarningCount: Int
    /// Those before.
    let moreWarningRows: [Row]

    /// They stand above the journal, which has to stay in sight.
    private static let shown = 3

    struct Row: Sendable, Equatable {
        let warningHub: String
        let warningText: String
        let warningTimes: String?
    }

    /// Shows the newest 23, newest first.
    init(_ warnings: [EmulatorWarning]) {
        hasWarnings = !warnings.isEmpty
        warningCount = warnings.count
        let rows = warnings.suffix(Self.shown + 20).reversed().map { warning in
            Row(
                warningHub: warning.hub, warningText: String(warning.text.prefix(400)),
                warningTimes: warning.count > 1 ? "\(warning.count.grouped) times" : nil)
        }
        warningRows = Array(rows.prefix(Self.shown))
        moreWarningRows = Array(rows.dropFirst(Self.shown))
        moreWarningCount = warnings.count - warningRows.count
        hasMoreWarnings = moreWarningCount > 0
    }
}

struct FaultsView: Sendable, Equatable {
    let hasFaults: Bool
    let faultRows: [Row]

    struct Row: Sendable, Equatable {
        let faultNumber: Int
        let faultHub: String?
        let faultWhen: String
        let faultWhat: String
        let faultStruck: String
    }

    init(_ faults: [FaultReport]) {
        hasFaults = !faults.isEmpty
        faultRows = faults.prefix(50).map { report in
            Row(
                faultNumber: report.number, faultHub: report.fault.hub, faultWhen: report.fault.momentText,
                faultWhat: report.fault.effectText,
                faultStruck: report.struck == 1 ? "struck once" : "struck \(report.struck.grouped) times")
        }
    }
}
