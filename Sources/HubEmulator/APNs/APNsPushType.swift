/// The values of `apns-push-type`, and what each adds to the app's topic (docs/wire/fcm-apns.md, "APNs headers").
enum APNsPushType: String, CaseIterable, Sendable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// Most bytes of a payload.
    var payloadLimit: Int { Installation.Platform.apns.payloadLimit(isVoIP: self == .voip) }
}
