import HTTPTypes
import PushModel

/// `/{hub}/installations/{id}`: PUT, PATCH, GET and DELETE (docs/wire/notification-hubs.md, "Installations").
///
/// Unlike at the service, nothing is queued: a change is done when the response arrives.
struct InstallationRoutes: Sendable {
    let now: @Sendable () -> Double

    /// - Parameter id: decoded; it may contain slashes, which one client does not encode.
    func answer(_ request: EmulatorRequest, hub: Hub, id: String, body content: UploadedBody) -> Response {
        var response: Response
        do throws(ServiceError) {
            // Apps register themselves with a key that has only the Listen right.
            try hub.authorise(request, for: [.listen, .manage], now: now())
            switch request.method {
            case .put: response = try put(content.bytes, id, hub)
            case .get: response = try get(id, hub)
            case .delete:
                // The service responds the same for an unknown installation.
                _ = hub.remove(id)
                response = .xml(204)
            case .patch: response = try patch(content.bytes, id, hub)
            default: throw .methodNotAllowed
            }
            response.headers[.trackingID] = FakeIDs.tracking()
        } catch {
            response = .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        return response
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

    /// The service queues a patch and may not check whether the device exists. Here an unknown one is 404.
    private func patch(_ body: [UInt8]?, _ id: String, _ hub: Hub) throws(ServiceError) -> Response {
        guard let body else { throw .tooLarge }
        let exists: Bool
        do throws(EmulatorError) {
            exists = try hub.patch(id, try InstallationPatch(body: body))
        } catch {
            throw ServiceError(error)
        }
        guard exists else { throw .noSuchInstallation }
        return .xml(200)
    }

    private func get(_ id: String, _ hub: Hub) throws(ServiceError) -> Response {
        guard let installation = hub.installation(id) else { throw .noSuchInstallation }
        do {
            // The service too sends JSON with this content type (recorded in 2018 and in July 2020).
            return .xml(200, try installation.json())
        } catch {
            throw ServiceError(status: 500, detail: "The installation cannot be written as JSON.")
        }
    }
}
