import HTTPTransport
import PushModel
import Signing

extension Installations {
    /// The request for one step of what waits for a device.
    ///
    /// - Throws: `InvalidInstallation` when it breaks a rule. `push.put_device` has the same rules, so only a row that was
    ///   written by hand can cause it.
    public func request(
        for content: DeviceSteps.Content, of device: String, with pass: Pass
    ) throws(InvalidInstallation) -> Request {
        switch content {
        case .put(let registration):
            let document = try InstallationDocument(json: registration.installation(id: device))
            return try request(put: document, with: pass)
        case .patch(let patch):
            return try request(patch: patch.installationPatch, of: device, with: pass)
        case .drop:
            return try request(delete: device, with: pass)
        }
    }
}
