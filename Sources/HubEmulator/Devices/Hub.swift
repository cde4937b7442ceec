import PushModel
import Signing
import Synchronization

/// One hub: its access policies and its devices.
final class Hub: Sendable {
    let name: String
    let policies: [SASPolicy]
    private let tokens: TokenCheck
    private let clock: EmulatorClock?
    /// With a rotated primary key the secondary key, if any, stays valid; with both rotated none is valid.
    private let tokensOfSecondaryKeys: TokenCheck
    private let tokensOfNoKey = TokenCheck([])
    let index: Mutex<DeviceIndex>
    /// The texts of the app on its devices; nil: none are known.
    let strings: StringsFile?
    /// The buttons that the app has registered on its Apple phones; nil: none are known.
    let categories: CategoriesFile?
    let service: Service
    /// Most devices.
    let deviceLimit: Int
    private let warnings: WarningLog
    let now: @Sendable () -> Double

    /// - Parameters:
    ///   - service: what it emulates.
    ///   - strings: the texts of the app on its devices.
    ///   - categories: its buttons on Apple phones.
    ///   - deviceLimit: default: the standard tier's.
    ///   - clock: nil: the clock is never advanced.
    ///   - now: seconds since 1970; decides which devices have expired.
    init(
        _ settings: EmulatorSettings.Hub, service: Service = .notificationHub, strings: StringsFile? = nil,
        categories: CategoriesFile? = nil,
        deviceLimit: Int = EmulatorSettings.Tier.standard.deviceLimit,
        warnings: WarningLog, clock: EmulatorClock? = nil, now: @escaping @Sendable () -> Double = { 0 }
    ) {
        self.warnings = warnings
        self.clock = clock
        self.service = service
        self.strings = strings
        self.categories = categories
        index = Mutex(DeviceIndex(of: service.kind, now: now))
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

    enum Service: Sendable {
        case notificationHub
        case fcm(EmulatorSettings.Sender)
        case apns(EmulatorSettings.APNsSender)

        var kind: EmulatedService {
            switch self {
            case .notificationHub: .notificationHub
            case .fcm: .fcm
            case .apns: .apns
            }
        }
    }

    /// nil: it is no sender of FCM.
    var sender: EmulatorSettings.Sender? {
        if case .fcm(let sender) = service { sender } else { nil }
    }

    /// nil: it is no sender of APNs.
    var apns: EmulatorSettings.APNsSender? {
        if case .apns(let sender) = service { sender } else { nil }
    }

    var devices: [String] { index.withLock { $0.ids() } }

    /// The devices that have the tag, in any case; it may be a derived one.
    ///
    /// - Parameter tag: at an FCM sender also a topic, whose case counts.
    func devices(tag: String) -> Set<String> {
        index.withLock { $0.devices(tag: tag.lowercased()).union($0.devices(topic: tag)) }
    }

    /// - Parameter tag: as in `devices(tag:)`.
    func device(_ id: String, hasTag tag: String) -> Bool {
        index.withLock { $0.device(id, hasTag: tag.lowercased()) || $0.device(id, hasTopic: tag) }
    }

    var deviceCount: Int { index.withLock { $0.count } }

    /// Platforms with registrations, in alphabetical order.
    var registrationCounts: [(platform: Installation.Platform, count: Int)] {
        index.withLock { $0.registrationCounts }.filter { $0.value > 0 }.map { ($0.key, $0.value) }
            .sorted { $0.0.rawValue < $1.0.rawValue }
    }

    /// - Throws: `EmulatorError` when it breaks a rule or the hub is full, without a change.
    func put(_ installation: Installation) throws(EmulatorError) {
        let mixed = try index.withLock { index throws(EmulatorError) in
            if index.count >= deviceLimit, index.installation(installation.installationId) == nil {
                throw .tooManyDevices
            }
            try index.put(installation)
            return index.mixedTexts(of: installation.installationId)
        }
        warnings.check(installation, mixed, at: name)
    }

    /// - Returns: false: no such device.
    /// - Throws: `EmulatorError` when the patch cannot be applied, without a change.
    func patch(_ id: String, _ patch: InstallationPatch) throws(EmulatorError) -> Bool {
        let changed: (Installation, [MixedText])? = try index.withLock { index throws(EmulatorError) in
            guard let installation = index.installation(id) else { return nil }
            let changed = try patch.applied(to: installation)
            try index.put(changed)
            return (changed, index.mixedTexts(of: id))
        }
        if let changed { warnings.check(changed.0, changed.1, at: name) }
        return changed != nil
    }

    func remove(_ id: String) -> Bool { index.withLock { $0.remove(id) } }

    func installation(_ id: String) -> Installation? { index.withLock { $0.installation(id) } }

    /// An existing tag with a similar spelling, in lower case.
    func tagNear(_ tag: String) -> String? { index.withLock { $0.tagNear(tag) } }

    /// The targets of a send, and what to warn about.
    struct Found: Sendable {
        var targets: [PushTarget] = []
        /// Tags that no device has, in lower case, or topics; empty for a hub without devices.
        var unknownTags: [String] = []
        var isEmptyHub = false
        /// The first devices that the send would reach if they had not expired.
        var expired: [Device] = []
    }

    func find(_ audience: Audience, format: SendFormat) -> Found {
        index.withLock { index in
            if index.count == 0 { return Found(isEmptyHub: true) }
            let (targets, expired) = index.find(audience, format: format, now: now())
            var found = Found(targets: targets, expired: Array(expired.prefix(WarningLog.limit)))
            switch audience {
            case .tagged(let expression): found.unknownTags = index.unknown(in: expression)
            case .topics(let condition):
                found.unknownTags = condition.topics.filter { index.byTopic[$0] == nil }
            case .allDevices, .noDevices, .handles: break
            }
            return found
        }
    }

    /// - Parameter rights: one of them is enough.
    /// - Throws: the service's 401 or 403.
    func authorise(_ request: EmulatorRequest, for rights: Set<Right>, now: Double) throws(ServiceError) {
        // Clients sign by their own clock, which does not advance with the emulator's.
        let now = now - (clock?.advance ?? 0)
        // A test's clock may return any number, even infinity; a token's `se` is a whole number.
        let second = Int64(exactly: (now + request.faultEffects.skewSeconds).rounded(.down)) ?? .max
        let tokens =
            switch request.faultEffects.rotated {
            case nil: tokens
            case .primary: tokensOfSecondaryKeys
            case .both: tokensOfNoKey
            }
        switch tokens.verify(request, second: second) {
        case .valid(_, let held):
            let version = try request.apiVersion()
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
