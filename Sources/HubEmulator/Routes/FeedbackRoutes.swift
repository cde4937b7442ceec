import HTTPTypes
import Signing

/// `GET /{hub}/feedbackcontainer`: where bad handles are listed (docs/wire/notification-hubs.md, "Feedback and jobs").
///
/// The container is a storage address with a signature, read without a key. Here it is under `/_emulator/feedback` and
/// always empty, because no handle becomes invalid.
struct FeedbackRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double

    func answer(_ request: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(request, for: [.manage], now: now())
            guard request.method == .get else { throw .methodNotAllowed }
            try tier.check(.feedback)
            let address = "\(request.origin)/_emulator/feedback/\(hub.name)?sr=c&sp=rl&sig=emulator"
            var response = Response.xml(200, Array(address.utf8))
            response.headers[.trackingID] = FakeIDs.tracking()
            return response
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }

    /// The storage service's response to `restype=container&comp=list` for an empty container.
    static func emptyList(of hub: String, origin: String) -> Response {
        let text =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"\(origin.xmlEscaped)/\" "
            + "ContainerName=\"\(hub)\"><Blobs /><NextMarker /></EnumerationResults>"
        return Response(status: 200, headers: [.contentType: "application/xml"], body: Array(text.utf8))
    }
}
