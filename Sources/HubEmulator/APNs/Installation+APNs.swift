extension Installation {
    /// Checks what holds for a phone of an APNs sender.
    ///
    /// - Throws: `EmulatorError` naming the broken rule.
    func checkApplePhone() throws(EmulatorError) {
        guard platform == .apns else { throw EmulatorError("APNs reaches apns, not \(platform.rawValue).") }
        guard case .handle(let handle) = pushChannel, AppleHandle.isValid(handle) else {
            throw EmulatorError(
                "The pushChannel of a phone of APNs is its token: an even number of hex digits, at most \(AppleHandle.limit)."
            )
        }
        guard templates?.isEmpty ?? true, secondaryTiles?.isEmpty ?? true else {
            throw EmulatorError("APNs has neither templates nor tiles: leave them out.")
        }
        guard topics?.isEmpty ?? true else { throw EmulatorError("Phones of APNs have no topics: leave them out.") }
    }
}
