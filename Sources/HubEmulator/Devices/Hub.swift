import PushModel
import Signing
import Synchronization

/// One hub: who may send to it, and the devices it knows.
final class Hub: Sendable {
    let name: String
    let policies: [SASPolicy]
    private let tokens: TokenCheck
    private let clock: EmulatorClock?
    /// With a rotated primary key the secondary one, if there is one, still holds; with both rotated nothing does.
    private let tokensOfSecondaryKeys: TokenCheck
    private let tokensOfNoKey = TokenCheck([])
    let roster = Mutex(DeviceIndex())
    let registrationIDs = ReservedIDs()
    /// Devices it takes.
    let deviceLimit: Int
    private let warnings: WarningLog
    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - deviceLimit: default: the standard tier's.
    ///   - clock: nil: nobody moves it.
    ///   - now: seconds since 1970: tells who has expired.
    init(
        _ settings: EmulatorSettings.Hub, deviceLimit: Int = EmulatorSettings.Tier.standard.deviceLimit,
        warnings: WarningLog, clock: EmulatorClock? = nil, now: @escaping @Sendable () -> Double = { 0 }
    ) {
        self.warnings = warnings
        self.clock = clock
        name = settings.name
        policies = settings.policies
        self.deviceLimit = deviceLimit
        self.now = now
        tokens = TokenCheck(settings.policies)
        tokensOfSecondaryKeys = TokenCheck(
            settings.policies.compactMap { policy in
                policy.secondaryKey.map { SASPolicy(name: policy.name, key: $0, rights: policy.rights) }
            })
    }

    var devices: [String] { roster.withLock { $0.devices() } }

    /// The devices that have the tag, whatever its case; the tags the service derives too.
    func devices(tag: String) -> Set<String> { roster.withLock { $0.devices(tag: tag.lowercased()) } }

    func device(_ id: String, hasTag tag: String) -> Bool {
        roster.withLock { $0.device(id, hasTag: tag.lowercased()) }
    }

    var deviceCount: Int { roster.withLock { $0.count } }

    /// Platforms that have some, in alphabetical order.
    var registrationCounts: [(platform: Installation.Platform, count: Int)] {
        roster.withLock { $0.registrationCounts }.filter { $0.value > 0 }.map { ($0.key, $0.value) }
            .sorted { $0.0.rawValue < $1.0.rawValue }
    }

    /// - Throws: `EmulatorError` when it breaks a rule, or is one device too many; then nothing has changed.
    func put(_ installation: Installation) throws(EmulatorError) {
        let mixed = try roster.withLock { roster throws(EmulatorError) in
            if roster.count >= deviceLimit, roster.installation(installation.installationId) == nil {
                throw .tooManyDevices
            }
            try roster.put(installation)
            return roster.mixedTexts(of: installation.installationId)
        }
        warnings.check(installation, mixed, at: name)
    }

    /// - Returns: false: there is no such device.
    /// - Throws: `EmulatorError` when it cannot be done; then nothing has changed.
    func patch(_ id: String, _ patch: InstallationPatch) throws(EmulatorError) -> Bool {
        let changed: (Installation, [MixedText])? = try roster.withLock { roster throws(EmulatorError) in
            guard let installation = roster.installation(id) else { return nil }
            let changed = try patch.applied(to: installation)
            try roster.put(changed)
            return (changed, roster.mixedTexts(of: id))
        }
        if let changed { warnings.check(changed.0, changed.1, at: name) }
        return changed != nil
    }

    func remove(_ id: String) -> Bool { roster.withLock { $0.remove(id) } }

    func installation(_ id: String) -> Installation? { roster.withLock { $0.installation(id) } }

    /// A tag some device has that is spelt nearly like this one, in lower case.
    func tagNear(_ tag: String) -> String? { roster.withLock { $0.tagNear(tag) } }

    /// Whom a send reaches, with what is worth a warning about it.
    struct Found: Sendable {
        var targets: [PushTarget] = []
        /// Tags no device has, in lower case; none where there are no devices.
        var unknownTags: [String] = []
        var isEmptyHub = false
        /// Devices it would have reached, had they not expired; the first of them.
        var expired: [Device] = []
    }

    func find(_ audience: Audience, format: SendFormat) -> Found {
        roster.withLock { roster in
            if roster.count == 0 { return Found(isEmptyHub: true) }
            let asked = roster.find(audience, format: format, now: now())
            var found = Found(targets: asked.targets, expired: Array(asked.expired.prefix(WarningLog.limit)))
            if case .tagged(let expression) = audience { found.unknownTags = roster.unknown(in: expression) }
            return found
        }
    }

    /// - Parameter rights: one of them is enough.
    /// - Throws: the 401 or 403 the service answers.
    func authorise(_ call: EmulatorRequest, for rights: Set<Right>, now: Double) throws(ServiceError) {
        // Clients sign by their own clock, which is not moved with ours.
        let now = now - (clock?.advance ?? 0)
        // A clock out of a test may say anything, infinity too; a token's `se` is a whole number.
        let second = Int64(exactly: (now + call.distortion.skewSeconds).rounded(.down)) ?? .max
        let tokens =
            switch call.distortion.rotated {
            case nil: tokens
            case .primary: tokensOfSecondaryKeys
            case .both: tokensOfNoKey
            }
        switch tokens.verify(call, second: second) {
        case .valid(_, let held):
            let version = try call.apiVersion()
            if held.isDisjoint(with: rights) { throw .missingRight(rights, version: version) }
        case .missing:
            throw ServiceError(status: 401, detail: "MissingToken: The request has no token.")
        case .malformed(let fault):
            throw ServiceError(status: 401, detail: "MalformedToken: \(fault).")
        case .invalidSignature:
            throw ServiceError(status: 401, detail: "InvalidSignature: The token has an invalid signature.")
        case .expired:
            throw ServiceError(status: 401, detail: "ExpiredToken: ")
        case .wrongScope:
            throw ServiceError(status: 401, detail: "InvalidAudience: The token is not for this address.")
        }
    }
}
