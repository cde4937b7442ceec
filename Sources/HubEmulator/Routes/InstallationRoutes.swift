import HTTPTypes

/// `/{hub}/installations/{id}`: PUT, PATCH, GET and DELETE, as apps and tests use them (notification-hubs.md section 8).
///
/// Unlike the service nothing is queued: what was put is there when the answer comes.
struct InstallationRoutes: Sendable {
    let now: @Sendable () -> Double

    /// - Parameter id: decoded; one client leaves slashes in it as they are, so it may hold some.
    func answer(_ call: EmulatorRequest, hub: Hub, id: String, body content: UploadedBody) -> Response {
        var answer: Response
        do throws(ServiceError) {
            // An app registers itself with a key that may only listen (notification-hubs-push-notification-security).
            try hub.authorise(call, for: [.listen, .manage], now: now())
            switch call.method {
            case .put: answer = try put(content.bytes, id, hub)
            case .get: answer = try get(id, hub)
            case .delete:
                // The service answers the same whether there was one or not.
                _ = hub.remove(id)
                answer = .xml(204)
            case .patch: answer = try patch(content.bytes, id, hub)
            default: throw .methodNotAllowed
            }
            answer.headers[.trackingID] = FakeIDs.tracking()
        } catch {
            answer = .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        return answer
    }

    private func put(_ body: [UInt8]?, _ id: String, _ hub: Hub) throws(ServiceError) -> Response {
        guard let body else { throw .tooLarge }
        do throws(EmulatorError) {
            let installation = try Installation(json: body)
            guard installation.installationId == id else {
                throw EmulatorError("The installationId in the body is not the one in the address.")
            }
            try hub.put(installation)
        } catch {
            throw ServiceError(error)
        }
        return .xml(200)
    }

    /// The service queues a patch and may not look whether there is such a device; a sender is better told.
    private func patch(_ body: [UInt8]?, _ id: String, _ hub: Hub) throws(ServiceError) -> Response {
        guard let body else { throw .tooLarge }
        let isThere: Bool
        do throws(EmulatorError) {
            isThere = try hub.patch(id, try InstallationPatch(json: body))
        } catch {
            throw ServiceError(error)
        }
        guard isThere else { throw .noSuchInstallation }
        return .xml(200)
    }

    private func get(_ id: String, _ hub: Hub) throws(ServiceError) -> Response {
        guard let installation = hub.installation(id) else { throw .noSuchInstallation }
        do {
            // JSON under this name is what the service answers (recorded in 2018 and in July 2020).
            return .xml(200, try installation.json())
        } catch {
            throw ServiceError(status: 500, detail: "The installation cannot be written as JSON.")
        }
    }
}
