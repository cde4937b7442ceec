import PushModel

/// The devices of one hub, found by tag without looking at the others: a load test sends to a hundred thousand tags,
/// and hardly any of them has a device. Made for a million of them.
struct DeviceIndex: Sendable {
    /// By number; nil: the number is free.
    private(set) var residents: [Device?] = []
    private var free: [UInt32] = []
    private(set) var installations: [String: UInt32] = [:]
    private(set) var registrations: [String: UInt32] = [:]
    /// By tag in lower case, other than `$InstallationId:{...}`.
    private(set) var byTag: [String: PostingSet] = [:]
    /// By id in lower case, for installations that have capitals in it; the others are found without.
    private(set) var byFoldedID: [String: PostingSet] = [:]
    private(set) var byChannel: [String: PostingSet] = [:]
    /// The installation of which a registration is, by the front half of the registration's id.
    private(set) var byRegistration: [UInt64: UInt32] = [:]
    private var shared = SharedPartsCache()
    /// The ids in alphabetical order; nil: they were not asked for since one came or went.
    var sorted: [String]?
    /// Goes up with every change.
    private(set) var changes = 0
    /// Registrations, also those an installation is listed as.
    private(set) var registrationCounts: [Installation.Platform: Int] = [:]

    /// Devices: installations, and registrations made as such.
    var count: Int { installations.count + registrations.count }

    /// All of them, in the order of their numbers.
    var all: [Device] { residents.compactMap { $0 } }

    func installation(_ id: String) -> Installation? {
        guard let number = installations[id], case .installation(let installation) = residents[Int(number)]?.content
        else { return nil }
        return installation
    }

    /// The registration made as such.
    func stored(_ id: String) -> Registration? {
        guard let number = registrations[id], case .registration(let registration) = residents[Int(number)]?.content
        else { return nil }
        return registration
    }

    /// Registers a device, or replaces what was registered under its id.
    ///
    /// - Parameter version: nil: one more than what it replaces had.
    /// - Throws: `EmulatorError` when the installation breaks a rule; then nothing has changed.
    mutating func put(
        _ installation: Installation, version: Int? = nil, isSeed: Bool = false
    ) throws(EmulatorError) {
        try installation.check()
        let id = installation.installationId
        var kept = installation
        let parts = try shared.parts(of: installation)
        if kept.secondaryTiles == nil { kept.templates = parts.templates }
        let tags = folded(installation.tags ?? [])
        if tags == installation.tags { kept.tags = tags }
        let old = installations[id].flatMap { residents[Int($0)]?.version } ?? 0
        let made = Device(
            .installation(kept), version: version ?? old + 1, parts: parts, tags: tags, isSeed: isSeed)
        installations[id] = place(made, at: installations[id])
    }

    /// Registers what was made as a registration, or replaces it. Its version is to be one it has not had.
    ///
    /// - Throws: `EmulatorError` when its template is none; then nothing has changed.
    mutating func put(_ registration: Registration) throws(EmulatorError) {
        let parts = try shared.parts(of: registration)
        let made = Device(
            .registration(registration), version: registration.version, parts: parts, tags: folded(registration.tags),
            isSeed: false)
        registrations[registration.id] = place(made, at: registrations[registration.id])
    }

    /// - Returns: whether there was such an installation.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let number = installations.removeValue(forKey: id) else { return false }
        vacate(number)
        return true
    }

    /// - Returns: whether there was such a registration, made as such.
    @discardableResult
    mutating func removeRegistration(_ id: String) -> Bool {
        guard let number = registrations.removeValue(forKey: id) else { return false }
        vacate(number)
        return true
    }

    private mutating func place(_ resident: Device, at known: UInt32?) -> UInt32 {
        let number: UInt32
        if let known {
            number = known
            unlist(known)
        } else {
            sorted = nil
            number = free.popLast() ?? UInt32(residents.count)
            if number == residents.count { residents.append(nil) }
        }
        residents[Int(number)] = resident
        list(resident, number)
        changes += 1
        return number
    }

    private mutating func vacate(_ number: UInt32) {
        unlist(number)
        residents[Int(number)] = nil
        free.append(number)
        sorted = nil
        changes += 1
    }

    /// In lower case; texts the index has already are taken from there, so that they exist once.
    private func folded(_ tags: [String]) -> [String] {
        tags.map { tag in
            let folded = tag.lowercased()
            return byTag.index(forKey: folded).map { byTag.keys[$0] } ?? folded
        }
    }

    private mutating func list(_ resident: Device, _ number: UInt32) {
        for tag in resident.tags { byTag.insert(number, under: tag) }
        if let tag = resident.userTag { byTag.insert(number, under: tag) }
        for part in resident.parts.all {
            for tag in part.tags { byTag.insert(number, under: tag) }
            byChannel.insert(number, under: resident.channel(of: part))
        }
        registrationCounts[resident.platform, default: 0] += resident.parts.all.count
        guard case .installation(let installation) = resident.content else { return }
        let id = installation.installationId
        if id.lowercased() != id { byFoldedID.insert(number, under: id.lowercased()) }
        for part in resident.parts.all {
            byRegistration[RegistrationID(device: id, template: part.key).front] = number
        }
    }

    private mutating func unlist(_ number: UInt32) {
        guard let resident = residents[Int(number)] else { return }
        for tag in resident.tags { byTag.remove(number, under: tag) }
        if let tag = resident.userTag { byTag.remove(number, under: tag) }
        for part in resident.parts.all {
            for tag in part.tags { byTag.remove(number, under: tag) }
            byChannel.remove(number, under: resident.channel(of: part))
        }
        registrationCounts[resident.platform, default: 0] -= resident.parts.all.count
        guard case .installation(let installation) = resident.content else { return }
        let id = installation.installationId
        if id.lowercased() != id { byFoldedID.remove(number, under: id.lowercased()) }
        for part in resident.parts.all {
            byRegistration[RegistrationID(device: id, template: part.key).front] = nil
        }
    }
}
