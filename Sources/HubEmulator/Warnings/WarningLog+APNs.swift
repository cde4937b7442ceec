import PushModel

extension WarningLog {
    /// Checks what APNs takes and phones do not show as meant.
    func check(_ send: APNsSend, at hub: Hub) {
        // Only these have `aps` as the rules know it.
        guard [nil, .alert, .background].contains(send.headers.pushType) else { return }
        if let fault = send.payload.fault(on: .apns) {
            add(
                .payloadShape, hub: hub.name, subject: SendFormat.apple.rawValue,
                "the payload is taken, and phones do not show it as meant: \(fault)")
        }
    }
}
