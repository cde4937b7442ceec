import Foundation
import Pages

/// The values for the page of scheduled sends and of the clock.
struct SchedulesView: Sendable {
    let hasSchedules: Bool
    let schedules: [Row]
    let clockTime: TimeView
    /// The time from now to the next one, which a button advances by.
    let nextSeconds: Int?

    struct Row: Sendable {
        let scheduleID: String
        let scheduleHub: String
        let scheduleTags: String
        let scheduleFormat: String?
        let scheduleDue: TimeView
        let scheduleIn: String
    }

    /// Shows the first 200.
    init(_ source: PageSource) {
        let now = source.now()
        let waiting = source.admin.clock.schedules.waiting
        hasSchedules = !waiting.isEmpty
        clockTime = TimeView(now)
        nextSeconds = waiting.first.map { Int(max(0, $0.dueAt - now).rounded(.up)) }
        schedules = waiting.prefix(200).map {
            Row(
                scheduleID: $0.notification, scheduleHub: $0.hub, scheduleTags: $0.tags ?? "all devices",
                scheduleFormat: $0.format, scheduleDue: TimeView($0.dueAt),
                scheduleIn: ClockView.words(Int(max(0, $0.dueAt - now))))
        }
    }
}

/// The values for the page of telemetry.
struct TelemetryView: Sendable {
    let hasTelemetry: Bool
    let notifications: [Row]
    let hasRules: Bool
    /// The rules as JSON.
    let rulesText: String

    struct Row: Sendable {
        let telemetryTime: TimeView
        let telemetryHub: String
        let telemetryTags: String
        let telemetryState: String
        let telemetryLook: String
        let telemetryCounts: String
        let telemetryLink: String
    }

    /// Shows the newest 100.
    init(_ source: PageSource) {
        let log = source.admin.clock.telemetry
        let now = source.now()
        notifications = log.newest(100, at: now).map { tracked, details in
            Row(
                telemetryTime: TimeView(tracked.takenAt), telemetryHub: tracked.hub,
                telemetryTags: tracked.tags.map { $0.isEmpty ? "no device" : $0 } ?? "without tags",
                telemetryState: details?.state ?? "not ready yet", telemetryLook: Self.look(details?.state),
                telemetryCounts: Self.text(details?.counts ?? [:]),
                telemetryLink: "/_emulator/telemetry/\(tracked.id.urlEncoded)")
        }
        hasTelemetry = !notifications.isEmpty
        let rules = log.rules
        hasRules = !rules.isEmpty
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        rulesText = (try? encoder.encode(rules)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func look(_ state: String?) -> String {
        switch state {
        case "Completed": "good"
        case "NoTargetFound", "Abandoned", "Unknown": "bad"
        default: "slow"
        }
    }

    /// `apns: Success 2, WrongToken 1`.
    private static func text(_ counts: [String: [String: Int]]) -> String {
        counts.sorted { $0.key < $1.key }.map { platform, outcomes in
            let list = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.grouped)" }
            return "\(platform): \(list.joined(separator: ", "))"
        }.joined(separator: " · ")
    }
}

/// The values for the page of registrations.
struct RegistrationsView: Sendable {
    let hubOptions: [OptionView]
    let formTag: String?
    let hasRegistrations: Bool
    let registrations: [Row]
    let nextLink: String?

    struct Row: Sendable {
        let registrationID: String
        let registrationDevice: String
        let registrationLink: String
        let registrationPlatform: String
        let registrationTemplate: String
        let registrationTags: String
        let registrationHandle: String
        let registrationExpiry: String
    }

    private static let limit = 100

    /// - Parameter hub: nil: the first one.
    init(_ source: PageSource, _ hub: Hub?, _ fields: FormFields) {
        let hubs = source.deviceFinder.hubs
        hubOptions = OptionView.all(hubs.map(\.name), chosen: hub?.name)
        formTag = fields["tag"]
        let hub = hub ?? hubs.first
        let name = hub?.name ?? ""
        let choice = fields["tag"].map { RegistrationChoice.tag($0.lowercased()) } ?? .all
        let found =
            hub?.registrations(
                after: fields["after"].flatMap { RegistrationCursor(token: $0) }, limit: Self.limit + 1,
                where: choice) ?? []
        registrations = found.prefix(Self.limit).map { Row($0.registration, device: $0.cursor.device, hub: name) }
        hasRegistrations = !registrations.isEmpty
        nextLink =
            found.count > Self.limit
            ? "/_emulator/page/registrations?hub=\(name.urlEncoded)&after=\(found[Self.limit - 1].cursor.token.urlEncoded)"
                + (fields["tag"].map { "&tag=\($0.urlEncoded)" } ?? "")
            : nil
    }
}

extension RegistrationsView.Row {
    fileprivate init(_ registration: Registration, device: String, hub: String) {
        registrationID = registration.id
        registrationDevice = device
        registrationLink = SendReportView.link(device, hub: hub)
        registrationPlatform = registration.platform.rawValue
        registrationTemplate = registration.templateName ?? registration.template.map { _ in "template" } ?? "native"
        registrationTags = registration.tags.filter { !$0.hasPrefix("$") }.joined(separator: " ")
        registrationHandle = String(registration.channel.text.prefix(60))
        registrationExpiry = registration.expirationTime ?? "never"
    }
}
