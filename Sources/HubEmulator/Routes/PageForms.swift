import HTTPTypes
import Pages
import Signing

/// `POST /_emulator/page/...`: what the page's forms change. Each answers with a redirect to the page it came from, so that
/// a reload does not send the form again.
struct PageForms: Sendable {
    /// Serves a request as if it had come over a connection. nil: without a response.
    typealias Perform = @Sendable (HTTPRequest, [UInt8]) async throws -> Response?

    let source: PageSource
    let query: HubQuery

    private var journal: Journal { source.deviceFinder.journal }

    /// nil: the path is not one of these.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or a time that is not a number; `CancellationError`.
    func answer(_ request: EmulatorRequest, _ body: UploadedBody, perform: Perform) async throws -> Response? {
        let path = request.segments
        guard request.method == .post, path.count == 3, path.starts(with: ["_emulator", "page"]) else { return nil }
        switch request.segments[2] {
        case "send": return try await send(try FormFields(body), request, perform)
        case "phone": return try addDevice(try FormFields(body))
        case let action:
            guard try change(action, body) else { return nil }
            return Self.redirect(to: Self.origin(of: request) ?? "/")
        }
    }

    /// - Returns: false: no such form.
    private func change(_ action: String, _ body: UploadedBody) throws(EmulatorError) -> Bool {
        switch action {
        case "clear": journal.clear()
        case "clear-warnings": source.admin.warnings.clear()
        case "clear-faults": source.admin.faults.clear()
        case "clear-inbox": try clearInbox(try FormFields(body))
        case "press": try press(try FormFields(body))
        case "reset-clock": source.admin.clock.reset()
        case "advance-clock":
            guard let seconds = try FormFields(body)["seconds"].flatMap(Double.init) else {
                throw EmulatorError("seconds must be a number")
            }
            try source.admin.clock.advance(by: seconds)
        case "cancel":
            // Unless it was delivered in the meantime: then the page it leads back to shows that.
            if let id = try FormFields(body)["notification"] { _ = source.admin.clock.cancel(id) }
        case "clear-telemetry": source.admin.clock.telemetry.clearRules()
        default: return false
        }
        return true
    }

    private func clearInbox(_ fields: FormFields) throws(EmulatorError) {
        let hub = try hub(fields).name
        if let device = fields["device"] {
            journal.clearInbox(.device(device, hub: hub))
        } else if let handle = fields["handle"] {
            journal.clearInbox(.handle(handle, hub: hub))
        }
    }

    private func press(_ fields: FormFields) throws(EmulatorError) {
        let hub = try hub(fields).name
        guard let action = fields["button"], let number = fields["number"].flatMap(Int.init),
            let key = fields["device"].map({ InboxKey.device($0, hub: hub) })
                ?? fields["handle"].map({ .handle($0, hub: hub) })
        else { throw EmulatorError("a press has a button, a number, and a device or a handle") }
        // An empty field is an empty text.
        _ = try source.admin.presses.press(action, on: key, number: number, text: fields["text"] ?? "")
    }

    private func addDevice(_ fields: FormFields) throws(EmulatorError) -> Response {
        do throws(EmulatorError) {
            let hub = try hub(fields)
            try hub.put(try PhoneFormView.installation(fields, at: hub.service.kind))
            journal.feed.wakeWaiters()
        } catch {
            let view = PhoneFormView(source, fields, problem: error.description)
            return PageRoutes.html(ToolPages(source: source).phone(view), status: 400)
        }
        return Self.redirect(to: "/")
    }

    /// Signs and sends as a client would, and leads to the send's own page.
    private func send(_ fields: FormFields, _ request: EmulatorRequest, _ perform: Perform) async throws -> Response {
        let tracking = FakeIDs.guid()
        let head: HTTPRequest
        var body = fields["body"] ?? ""
        do throws(EmulatorError) {
            let hub = try hub(fields)
            if hub.sender != nil { body = try FCMFormBody.text(body, for: fields["tags"]) }
            guard fields["tags"] != nil || fields["everyone"] != nil else {
                throw EmulatorError("Give a tag expression, or tick the box for every device.")
            }
            head = try self.head(fields, to: hub, for: request, tracking: tracking)
        } catch {
            let view = SendFormView(source, fields, problem: error.description)
            return PageRoutes.html(ToolPages(source: source).send(view), status: 400)
        }
        // Without a response when a fault closes the connection: the journal still has the send.
        _ = try await perform(head, Array(body.utf8))
        let sent = journal.newest(1, hub: nil) { $0.clientTracking == tracking }.first
        return Self.redirect(to: sent.map { "/_emulator/page/sends/\($0.number)" } ?? "/")
    }

    private func head(
        _ fields: FormFields, to hub: Hub, for request: EmulatorRequest, tracking: String
    ) throws(EmulatorError) -> HTTPRequest {
        if let sender = hub.apns {
            return try APNsForm(fields, for: hub).head(
                sender, request, now: source.now() - source.admin.clock.clock.advance, tracking: tracking)
        }
        if let sender = hub.sender {
            return HTTPRequest(
                method: .post, scheme: String(request.origin.prefix { $0 != ":" }), authority: request.host,
                path: "/v1/projects/\(sender.project.urlEncoded)/messages:send",
                headerFields: [
                    .authorization: "Bearer \(source.admin.fcm.grants.issue(for: hub))",
                    .contentType: "application/json",
                    .trackingID: tracking,
                ])
        }
        guard let policy = hub.policies.first(where: { $0.rights.contains(.send) }) else {
            throw EmulatorError("No policy of the hub \(hub.name) has the right to send: add one with --policy.")
        }
        let name = fields["format"] ?? SendFormat.template.rawValue
        guard let format = SendFormat(header: name) else { throw EmulatorError("There is no format \(name).") }
        // Tokens are checked against the clock that is not advanced.
        let expiry = source.now() - source.admin.clock.clock.advance + 600
        let token = SAS.token(
            resource: "\(request.origin)/\(hub.name)", keyName: policy.name, key: policy.key,
            expiry: Int64(exactly: expiry.rounded()) ?? .max)
        var headers: HTTPFields = [
            .authorization: token.header.reveal(), .format: format.rawValue,
            .contentType: (format.media(isRaw: false).first ?? "application/json") + ";charset=utf-8",
            .trackingID: tracking,
        ]
        if let tags = fields["tags"] {
            // A line end or another control character would end the header.
            guard tags.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }) else {
                throw EmulatorError("A tag expression has only visible ASCII characters and spaces.")
            }
            headers[.tags] = tags
        }
        if format == .windows { headers[.wnsType] = "wns/toast" }
        return HTTPRequest(
            method: .post, scheme: String(request.origin.prefix { $0 != ":" }), authority: request.host,
            path: "/\(hub.name.urlEncoded)/messages/?api-version=2020-06", headerFields: headers)
    }

    private func hub(_ fields: FormFields) throws(EmulatorError) -> Hub {
        guard let name = fields["hub"] else {
            guard source.admin.hubs.count == 1, let hub = source.admin.hubs.values.first else {
                throw EmulatorError("hub is missing: there are several")
            }
            return hub
        }
        guard let hub = source.admin.hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub
    }

    /// Path and query of the page with the form. nil: it is none of ours.
    private static func origin(of request: EmulatorRequest) -> String? {
        guard let referer = request[.referer], referer.hasPrefix(request.origin + "/") else { return nil }
        let target = referer.dropFirst(request.origin.count)
        // `//host` would be another host's address.
        let isOurs = target == "/" || target.hasPrefix("/?") || target.hasPrefix("/_emulator/page/")
        return isOurs ? String(target) : nil
    }

    private static func redirect(to target: String) -> Response {
        Response(status: 303, headers: [.location: target])
    }
}
