import PushModel

/// The values for the page of one send.
struct SendReportView: Sendable {
    let send: SendView
    let reportVerdict: String
    let ruleName: String?
    let ruleAdvice: String?
    let refusalText: String?
    let faultText: String?
    let showsAudience: Bool
    let gotCount: String
    let got: [ArrivalView]
    let gotMore: String?
    let missedCount: String
    let missed: [MissedView]
    let missedMore: String?
    let requestLine: String?
    let requestHeaders: [HeaderView]
    let hasProperties: Bool
    /// Of a template send, with their texts as a person reads them.
    let properties: [PropertyView]
    /// As received. nil: it is no longer kept, or the properties show it.
    let bodyText: String?
    let curlText: String?
    let telemetryLink: String?
    let jsonLink: String

    struct ArrivalView: Sendable {
        let arrivalDevice: String
        let arrivalLink: String?
        let arrivalTemplate: String?
        let arrivalTitle: String?
        let arrivalText: String?
        let arrivalMissing: String?
    }

    struct MissedView: Sendable {
        let missedDevice: String
        let missedLink: String
        let missedReason: String
    }

    struct HeaderView: Sendable {
        let headerName: String
        let headerValue: String
    }

    struct PropertyView: Sendable {
        let propertyName: String
        let propertyValue: String
    }

    init(_ report: SendReport) {
        let entry = report.entry
        send = SendView(entry)
        reportVerdict = Self.verdict(report)
        ruleName = report.rule?.name
        ruleAdvice = report.rule?.advice
        refusalText = entry.refusal
        faultText = report.fault ?? entry.fault.map { "fault \($0), which is no longer set" }
        showsAudience = entry.taken && entry.kind != .scheduled
        got = report.got.map { ArrivalView($0, hub: entry.hub) }
        gotCount = entry.reached.grouped
        let moreGot = entry.reached - report.got.count
        gotMore = moreGot > 0 ? "\(moreGot.grouped) more, not listed or no longer in an inbox" : nil
        missed = report.missed.map {
            MissedView(
                missedDevice: $0.device, missedLink: Self.link($0.device, hub: entry.hub), missedReason: $0.reason)
        }
        missedCount = report.missedCount.grouped
        let moreMissed = report.missedCount - report.missed.count
        missedMore = moreMissed > 0 ? "\(moreMissed.grouped) more" : nil
        requestLine = report.request.map { "\($0.method) \($0.address)" }
        requestHeaders = report.request?.headers.map { HeaderView(headerName: $0.name, headerValue: $0.value) } ?? []
        properties = entry.body.map(Self.properties) ?? []
        hasProperties = !properties.isEmpty
        bodyText = properties.isEmpty ? entry.body : nil
        curlText = report.curl
        telemetryLink = entry.notification.map { "/_emulator/telemetry/\($0.urlEncoded)" }
        jsonLink = "/_emulator/journal/\(entry.number)"
    }

    private static func properties(_ body: String) -> [PropertyView] {
        // A body in a platform's own format is no object of strings; it is shown as it is.
        guard let object = try? StringObject(body) else { return [] }
        return object.pairs.map { PropertyView(propertyName: $0.name, propertyValue: $0.value) }
    }

    /// One sentence that says what became of it.
    static func verdict(_ report: SendReport) -> String {
        let entry = report.entry
        let answer = entry.status.map { "the sender got \($0)" } ?? "the sender got no response"
        guard entry.taken else {
            if entry.kind == .trial, entry.refusal == nil, entry.status == 200 {
                return "Checked and not delivered, as validate_only asks."
            }
            if entry.fault != nil { return "A fault struck: \(answer), and the hub did not take it." }
            return "Refused: \(answer), and nobody got anything."
        }
        if entry.kind == .scheduled {
            let due = entry.dueAt.map { " for \(CivilTime(secondsSince1970: $0).internet)" } ?? ""
            return "Taken\(due). Its delivery is an entry of its own."
        }
        let reached = entry.reached == 1 ? "1 notification" : "\(entry.reached.grouped) notifications"
        let missed = report.missedCount == 1 ? "1 device" : "\(report.missedCount.grouped) devices"
        let others = report.missedCount == 0 ? "" : ", and \(missed) did not get it"
        let lie = entry.fault != nil && entry.kind != .due && entry.status != 201 ? " A fault struck: \(answer)." : ""
        return "Taken: \(reached)\(others).\(lie)"
    }

    static func link(_ device: String, hub: String) -> String { "/?hub=\(hub.urlEncoded)&text=\(device.urlEncoded)" }
}

extension SendReportView.ArrivalView {
    fileprivate init(_ arrival: SendReport.Arrival, hub: String) {
        arrivalDevice = arrival.device ?? "handle \(arrival.handle ?? "")"
        arrivalLink = (arrival.device ?? arrival.handle).map { SendReportView.link($0, hub: hub) }
        arrivalTemplate = arrival.template
        arrivalTitle = arrival.title.map { String($0.prefix(200)) }
        arrivalText = arrival.text.map { String($0.prefix(300)) }
        arrivalMissing = arrival.missing.isEmpty ? nil : arrival.missing.joined(separator: ", ")
    }
}
