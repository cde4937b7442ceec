/// What a push of Apple's does on the phone: the values of `apns-push-type`, and what follows from each
/// (docs/wire/fcm-apns.md, "Push types").
///
/// The rule of the INSERT for that header (`other.json`) has the same words; a test compares them.
public enum ApplePushType: String, CaseIterable, Sendable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

    /// Follows the app's bundle id in `apns-topic`. Of `mdm` the topic is the one of its certificate.
    public var topicSuffix: String {
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
    public var payloadLimit: Int { self == .voip ? Self.limits.call : Self.limits.usual }

    /// Those of the INSERT (`apple.json`).
    private static let limits: (usual: Int, call: Int) = {
        guard let format = PayloadRules.all.formats["apple"], let usual = format.bytes, let call = format.callBytes
        else {
            // The file is compiled in, and every test of a push to Apple reads it: no build without them passes.
            fatalError("apple.json lacks the bytes of a payload")
        }
        return (usual, call)
    }()
}
