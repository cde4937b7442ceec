import Foundation
import HTTPTypes
import Pages
import PushModel

/// A send to APNs from the page's form: the payload as typed, and its phone out of the field for tags.
struct APNsForm {
    private let handle: String
    private let isBackground: Bool

    /// - Throws: `EmulatorError` for no phone, or several.
    init(_ fields: FormFields, for hub: Hub) throws(EmulatorError) {
        guard let target = fields["tags"] else { throw EmulatorError("Give the token or the id of a phone.") }
        let phone = hub.installation(target)?.pushChannel.text ?? target
        guard AppleHandle.isValid(phone) else {
            throw EmulatorError("\(target.quoted) is neither a phone of \(hub.name) nor a token in hex digits.")
        }
        handle = phone
        isBackground = NotificationPreview(fields["body"] ?? "", platform: .apns).isSilent
    }

    /// Signed with the sender's first key.
    ///
    /// - Parameters:
    ///   - request: that of the form.
    ///   - now: seconds since 1970.
    /// - Throws: `EmulatorError` when the sender has no key.
    func head(
        _ sender: EmulatorSettings.APNsSender, _ request: EmulatorRequest, now: Double, tracking: String
    ) throws(EmulatorError) -> HTTPRequest {
        guard let key = sender.keys.first else { throw EmulatorError("The sender \(sender.name) has no key.") }
        let token = key.token(team: sender.teamID, issuedAt: Int(min(max(now, 0), 9e15)))
        return HTTPRequest(
            method: .post, scheme: String(request.origin.prefix { $0 != ":" }), authority: request.host,
            path: "/3/device/\(handle)",
            headerFields: [
                .authorization: "bearer \(token)", .apnsTopic: sender.topic,
                .apnsPushType: (isBackground ? ApplePushType.background : .alert).rawValue,
                .apnsPriority: isBackground ? "5" : "10", .contentType: "application/json", .trackingID: tracking,
            ])
    }
}
