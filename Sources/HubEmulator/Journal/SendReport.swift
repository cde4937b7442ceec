import PushModel

/// Everything about one send: the request, who got it, who did not and why, and the rule that refused it.
struct SendReport: Sendable, Encodable {
    struct Request: Sendable, Encodable {
        let method: String
        /// With the query.
        let address: String
        /// Without secrets.
        let headers: [SentRequest.Header]
    }

    struct Arrival: Sendable, Encodable {
        /// nil: a handle that no device has.
        let device: String?
        let handle: String?
        let template: String?
        let title: String?
        let text: String?
        /// Properties that the template shows and the message lacked.
        let missing: [String]
    }

    let entry: JournalEntry
    /// nil: no longer kept (`Journal.keptRequests`), or the send had none (`SendKind.due` after a long time).
    let request: Request?
    let curl: String?
    /// The first ones that are still in an inbox.
    let got: [Arrival]
    /// The first ones, judged by what the devices are now. Empty for a direct or batch send and for one not taken.
    let missed: [Reach.Missed]
    /// Devices of the hub that did not get it.
    let missedCount: Int
    let rule: RefusalRule?
    /// What the fault does that acted on it. nil: none acted, or it is no longer set.
    let fault: String?
}

/// Makes reports from journal, inboxes and hubs.
struct SendReports: Sendable {
    let hubs: [String: Hub]
    let journal: Journal
    let faults: FaultScript

    /// Of each list.
    private static let limit = 100

    /// - Parameter origin: where the emulator is for the person who reads it.
    /// - Returns: nil: the entry is no longer kept, or does not exist yet.
    func report(_ number: Int, at origin: String) -> SendReport? {
        guard let entry = journal.entry(number) else { return nil }
        let request = journal.request(of: number)
        let pushes = journal.feed.pushes(numbers: number...number)
        let devices = Set(pushes.compactMap(\.device))
        let hub = hubs[entry.hub.lowercased()]
        let missed = hub.map { self.missed(entry, at: $0, except: devices) } ?? []
        return SendReport(
            entry: entry, request: request.map(SendReport.Request.init),
            curl: request.map { CurlCommand($0, body: entry.body, at: origin).text },
            got: pushes.prefix(Self.limit).map { SendReport.Arrival($0, at: hub) }, missed: missed,
            missedCount: missed.isEmpty ? 0 : max(missed.count, (hub?.deviceCount ?? 0) - devices.count),
            rule: entry.refusal.flatMap { RefusalRule(status: entry.status, detail: $0) },
            fault: entry.fault.flatMap { number in faults.all.first { $0.number == number } }
                .map { "\($0.fault.momentText): \($0.fault.effectText)" })
    }

    private func missed(_ entry: JournalEntry, at hub: Hub, except devices: Set<String>) -> [Reach.Missed] {
        guard entry.taken, [.send, .test, .due].contains(entry.kind),
            let format = SendFormat(header: entry.format ?? ""), let audience = hub.audience(tags: entry.tags)
        else { return [] }
        let payloads = entry.body.flatMap { PayloadCache(body: $0, format) }
        return hub.missed(by: audience, format, except: devices, limit: Self.limit) { device in
            if entry.kind == .test, entry.reached >= Delivery.testLimit { return .beyondTest }
            return Miss(of: device, audience, format, payloads)
        }
    }
}

extension SendReport.Request {
    fileprivate init(_ request: SentRequest) {
        method = request.method
        address = request.origin + request.target
        headers = request.headers
    }
}

extension SendReport.Arrival {
    fileprivate init(_ push: InboxPush, at hub: Hub?) {
        device = push.device
        handle = push.handle
        template = push.push.template
        let phone = push.device.flatMap { hub?.installation($0) }
        let preview = NotificationPreview(
            push.push.payload, platform: phone?.platform,
            texts: PhoneTexts(strings: hub?.strings, language: phone.flatMap { DeviceLanguage(of: $0)?.code }))
        title = preview.title
        text = preview.body
        missing = push.push.missing ?? []
    }
}

extension Hub {
    /// The devices that the tags of an entry of the journal select; at an FCM sender its topics. nil: they select none.
    fileprivate func audience(tags: String?) -> Audience? {
        guard sender != nil else { return Audience(tags: tags) }
        return tags.flatMap(FCMCondition.init(named:)).map { .topics($0) }
    }
}

extension Audience {
    /// The devices that the value of a tags header selects. nil: it is not a tag expression.
    init?(tags: String?) {
        guard let tags else {
            self = .allDevices
            return
        }
        if tags.isEmpty {
            self = .noDevices
            return
        }
        guard let expression = try? TagExpression(tags) else { return nil }
        self = .tagged(expression)
    }
}

extension PayloadCache {
    /// nil: the body does not fit its format.
    fileprivate init?(body: String, _ format: SendFormat) {
        guard format == .template else {
            self.init(.payload(Payload(body)))
            return
        }
        guard let object = try? StringObject(body) else { return nil }
        self.init(.properties(object))
    }
}

extension Miss {
    /// Why a matching device did not get a send that was taken: its payload was too large, or it changed since.
    fileprivate init(of device: Device, _ audience: Audience, _ format: SendFormat, _ payloads: PayloadCache?) {
        self = .changedSince
        guard var payloads else { return }
        for (index, part) in device.parts.all.enumerated() where format.reaches(part, of: device.platform) {
            let payload = payloads.payload(for: PushTarget(device: device, index: index))
            if payload.outcome(on: device.platform) == .tooLarge {
                self = .tooLarge(
                    bytes: payload.size, limit: device.platform.payloadLimit(isVoIP: payload.isVoIP))
                return
            }
        }
    }
}
