import HTTPTransport
import PushModel
import Signing

extension Installations {
    /// The request for one step of what waits for a device.
    ///
    /// - Throws: `InvalidInstallation` when it breaks a rule. `push.put_device` has the same rules, so only a row that was
    ///   written by hand can cause it.
    public func request(
        for content: DeviceSteps.Content, of device: String, signedBy token: SASToken
    ) throws(InvalidInstallation) -> Request {
        switch content {
        case .put(let registration):
            let document = try InstallationDocument(json: registration.installation(id: device))
            return try request(put: document, signedBy: token)
        case .patch(let patch):
            return try request(patch: patch.installationPatch, of: device, signedBy: token)
        case .drop:
            return try request(delete: device, signedBy: token)
        }
    }
}
