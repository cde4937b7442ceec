extension PreviewTemplate {
    /// A template that devices of a hub are known to have.
    ///
    /// - Returns: nil: this build does not know the platform.
    public init?(_ known: PlatformTemplate) {
        guard let platform = DevicePlatform(rawValue: known.platform) else { return nil }
        self.init(
            platform, known.name, known.body, headers: known.headers, expiry: known.expiry,
            devices: known.devices == 0 ? nil : Int(known.devices))
    }
}
