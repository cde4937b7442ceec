import HTTPTypes
import Signing

/// `GET /{hub}/feedbackcontainer`: where the handles that went bad are listed (notification-hubs.md section 3.2).
///
/// The container is a storage address with a signature, read without a key. This one lies under `/_emulator/feedback`
/// and is empty, because no handle goes bad here.
struct FeedbackRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double

    func answer(_ call: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(call, for: [.manage], now: now())
            guard call.method == .get else { throw .methodNotAllowed }
            try tier.check(.feedback)
            let address = "\(call.origin)/_emulator/feedback/\(hub.name)?sr=c&sp=rl&sig=emulator"
            var answer = Response.xml(200, Array(address.utf8))
            answer.headers[.trackingID] = FakeIDs.tracking()
            return answer
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }

    /// What the storage service answers to `restype=container&comp=list` where there is nothing.
    static func emptyList(of hub: String, origin: String) -> Response {
        let text =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"\(origin.xmlEscaped)/\" "
            + "ContainerName=\"\(hub)\"><Blobs /><NextMarker /></EnumerationResults>"
        return Response(status: 200, headers: [.contentType: "application/xml"], body: Array(text.utf8))
    }
}
