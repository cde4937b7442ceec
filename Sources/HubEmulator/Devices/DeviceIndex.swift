import PushModel

/// The devices of one hub, indexed by id, tag and channel: a load test sends to a hundred thousand tags, most without a
/// device. Made for a million devices.
struct DeviceIndex: Sendable {
    /// nil: the number is free.
    private(set) var byNumber: [Device?] = []
    private var free: [UInt32] = []
    private(set) var installations: [String: UInt32] = [:]
    private(set) var registrations: [String: UInt32] = [:]
    /// By tag in lower case, without `$InstallationId:{...}`.
    private(set) var byTag: [String: PostingSet] = [:]
    /// By id in lower case; only installations whose id has capitals.
    private(set) var byFoldedID: [String: PostingSet] = [:]
    private(set) var byChannel: [String: PostingSet] = [:]
    /// At an FCM sender; case counts.
    private(set) var byTopic: [String: PostingSet] = [:]
    /// Whose devices they are.
    let service: EmulatedService
    /// Tokens that phones had and no phone has now; not at a notification hub.
    private(set) var goneTokens = GoneTokens()
    private let now: @Sendable () -> Double
    /// The installation of a registration, by the first number of the registration's id.
    private(set) var byRegistration: [UInt64: UInt32] = [:]
    private var shared = SharedPartsCache()
    /// All ids in alphabetical order; nil: one was added or removed since.
    var sortedIDs: [String]?
    /// Increases with every change.
    private(set) var changes = 0
    /// Registrations, including those that an installation is listed as.
    private(set) var registrationCounts: [Installation.Platform: Int] = [:]

    /// - Parameter now: seconds since 1970; dates tokens that are gone.
    init(of service: EmulatedService = .notificationHub, now: @escaping @Sendable () -> Double = { 0 }) {
        self.service = service
        self.now = now
    }

    var isOfSender: Bool { service != .notificationHub }

    /// Devices: installations, and registrations made on their own.
    var count: Int { installations.count + registrations.count }

    /// In order of number.
    var all: [Device] { byNumber.compactMap { $0 } }

    func installation(_ id: String) -> Installation? {
        guard let number = installations[id], case .installation(let installation) = byNumber[Int(number)]?.content
        else { return nil }
        return installation
    }

    /// A registration made on its own.
    func stored(_ id: String) -> Registration? {
        guard let number = registrations[id], case .registration(let registration) = byNumber[Int(number)]?.content
        else { return nil }
        return registration
    }

    /// Registers a device, or replaces the installation with its id.
    ///
    /// - Parameter version: nil: one more than that of the replaced installation.
    /// - Throws: `EmulatorError` when the installation breaks a rule, without a change.
    mutating func put(
        _ installation: Installation, version: Int? = nil, isSeed: Bool = false
    ) throws(EmulatorError) {
        try installation.check(at: service)
        let id = installation.installationId
        var kept = installation
        if service != .fcm { kept.topics = nil }
        if service == .apns { kept.pushChannel = .handle(kept.pushChannel.text.lowercased()) }
        let parts = try shared.parts(of: installation)
        if kept.secondaryTiles == nil { kept.templates = parts.templates }
        let tags = folded(installation.tags ?? [])
        if tags == installation.tags { kept.tags = tags }
        let replaced = installations[id].flatMap { byNumber[Int($0)]?.version } ?? 0
        let device = Device(
            .installation(kept), version: version ?? replaced + 1, parts: parts, tags: tags, isSeed: isSeed)
        installations[id] = place(device, at: installations[id])
    }

    /// Adds a registration made on its own, or replaces it. The caller gives it a new version.
    ///
    /// - Throws: `EmulatorError` when its template is invalid, without a change.
    mutating func put(_ registration: Registration) throws(EmulatorError) {
        let parts = try shared.parts(of: registration)
        let device = Device(
            .registration(registration), version: registration.version, parts: parts, tags: folded(registration.tags),
            isSeed: false)
        registrations[registration.id] = place(device, at: registrations[registration.id])
    }

    /// - Returns: whether the installation existed.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let number = installations.removeValue(forKey: id) else { return false }
        vacate(number)
        return true
    }

    /// - Returns: whether a registration made on its own had this id.
    @discardableResult
    mutating func removeRegistration(_ id: String) -> Bool {
        guard let number = registrations.removeValue(forKey: id) else { return false }
        vacate(number)
        return true
    }

    private mutating func place(_ device: Device, at number: UInt32?) -> UInt32 {
        let place: UInt32
        if let number {
            place = number
            unlist(number)
        } else {
            sortedIDs = nil
            place = free.popLast() ?? UInt32(byNumber.count)
            if place == byNumber.count { byNumber.append(nil) }
        }
        byNumber[Int(place)] = device
        list(device, place)
        changes += 1
        return place
    }

    private mutating func vacate(_ number: UInt32) {
        unlist(number)
        byNumber[Int(number)] = nil
        free.append(number)
        sortedIDs = nil
        changes += 1
    }

    /// In lower case; reuses the index's own strings, so that each exists once.
    private func folded(_ tags: [String]) -> [String] {
        tags.map { tag in
            let folded = tag.lowercased()
            return byTag.index(forKey: folded).map { byTag.keys[$0] } ?? folded
        }
    }

    private mutating func list(_ device: Device, _ number: UInt32) {
        for tag in device.tags { byTag.insert(number, under: tag) }
        if let tag = device.userTag { byTag.insert(number, under: tag) }
        for topic in device.topics { byTopic.insert(number, under: topic) }
        for part in device.parts.all {
            for tag in part.tags { byTag.insert(number, under: tag) }
            byChannel.insert(number, under: device.channel(of: part))
            if isOfSender { goneTokens.remove(device.channel(of: part)) }
        }
        registrationCounts[device.platform, default: 0] += device.parts.all.count
        guard case .installation(let installation) = device.content else { return }
        let id = installation.installationId
        if id.lowercased() != id { byFoldedID.insert(number, under: id.lowercased()) }
        for part in device.parts.all {
            byRegistration[RegistrationID(device: id, template: part.key).front] = number
        }
    }

    private mutating func unlist(_ number: UInt32) {
        guard let device = byNumber[Int(number)] else { return }
        for tag in device.tags { byTag.remove(number, under: tag) }
        if let tag = device.userTag { byTag.remove(number, under: tag) }
        for topic in device.topics { byTopic.remove(number, under: topic) }
        for part in device.parts.all {
            for tag in part.tags { byTag.remove(number, under: tag) }
            let channel = device.channel(of: part)
            byChannel.remove(number, under: channel)
            if isOfSender, byChannel[channel] == nil { goneTokens.insert(channel, at: now()) }
        }
        registrationCounts[device.platform, default: 0] -= device.parts.all.count
        guard case .installation(let installation) = device.content else { return }
        let id = installation.installationId
        if id.lowercased() != id { byFoldedID.remove(number, under: id.lowercased()) }
        for part in device.parts.all {
            byRegistration[RegistrationID(device: id, template: part.key).front] = nil
        }
    }
}
