/// What a push does on the phone: the values of `apns-push-type`, and what each adds to the topic (docs/wire/fcm-apns.md,
/// "Push types").
enum PushType: String, CaseIterable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

    /// Follows the app's bundle id in `apns-topic`. Of `mdm` the topic is the one of its certificate, as the settings have it.
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

    /// Bytes of a payload at most.
    var payloadLimit: Int { self == .voip ? 5_120 : 4_096 }
}
