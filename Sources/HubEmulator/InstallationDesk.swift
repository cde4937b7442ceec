import HTTPTypes
import HummingbirdCore

/// `/{hub}/installations/{id}`: PUT, GET and DELETE, as apps and tests use them (notification-hubs.md section 8).
///
/// Unlike the service nothing is queued: what was put is there when the answer comes.
struct InstallationDesk: Sendable {
    let now: @Sendable () -> Double

    /// - Parameter id: decoded; one client leaves slashes in it as they are, so it may hold some.
    /// - Throws: what reading the body throws.
    func answer(_ call: Call, hub: Hub, id: String, body: RequestBody) async throws -> Answer {
        let content = try await UploadedBody.read(body)
        var answer: Answer
        do throws(ServiceError) {
            try hub.authorise(call, for: call.method == .get ? .listen : .manage, now: now())
            switch call.method {
            case .put: answer = try put(content.bytes, id, hub)
            case .get: answer = try get(id, hub)
            case .delete:
                // The service answers the same whether there was one or not.
                _ = hub.remove(id)
                answer = Answer(status: 204)
            case .patch: throw .notServed
            default: throw .methodNotAllowed
            }
            answer.headers[.trackingID] = Identifier.tracking()
        } catch {
            answer = .refusal(error, tracking: Identifier.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        answer.closesConnection = content.isUnfinished
        return answer
    }

    private func put(_ body: [UInt8]?, _ id: String, _ hub: Hub) throws(ServiceError) -> Answer {
        guard let body else { throw .tooLarge }
        do throws(EmulatorError) {
            let installation = try Installation(json: body)
            guard installation.installationId == id else {
                throw EmulatorError("The installationId in the body is not the one in the address.")
            }
            try hub.put(installation)
        } catch {
            throw .badRequest(error.description)
        }
        return .xml(200)
    }

    private func get(_ id: String, _ hub: Hub) throws(ServiceError) -> Answer {
        guard let installation = hub.installation(id) else { throw .noSuchInstallation }
        do {
            return .json(try installation.json())
        } catch {
            throw ServiceError(status: 500, detail: "The installation cannot be written as JSON.")
        }
    }
}
