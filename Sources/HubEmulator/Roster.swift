import PushModel

/// The devices of one hub, found by tag without looking at the others: a load test sends to a hundred thousand tags,
/// and hardly any of them has a device.
struct Roster: Sendable {
    private struct Entry: Sendable {
        let installation: Installation
        let version: Int
        let targets: [Int]
    }

    private var entries: [String: Entry] = [:]
    private var targets: [Int: PushTarget] = [:]
    /// Target numbers by tag, and by channel.
    private var byTag: [String: Set<Int>] = [:]
    private var byChannel: [String: Set<Int>] = [:]
    private var templates: [String: SharedTemplate] = [:]
    private var lastTarget = 0
    /// Which device has the registration of an id.
    private var byRegistration: [String: RegistrationMark] = [:]
    /// The ids of the devices in alphabetical order; nil: they were not asked for since one came or went.
    private var sorted: [String]?

    var count: Int { entries.count }
    var devices: [String] { sorted ?? entries.keys.sorted() }

    func installation(_ id: String) -> Installation? { entries[id]?.installation }

    /// Registers a device, or replaces what was registered under its id.
    ///
    /// - Throws: `EmulatorError` when the installation breaks a rule; then nothing has changed.
    mutating func put(_ installation: Installation) throws(EmulatorError) {
        try installation.check()
        let made = try targets(of: installation)
        let id = installation.installationId
        let version = (entries[id]?.version ?? 0) + 1
        let order = entries[id] == nil ? nil : sorted
        remove(id)
        sorted = order
        var numbers: [Int] = []
        for target in made {
            lastTarget += 1
            numbers.append(lastTarget)
            targets[lastTarget] = target
            for tag in target.tags { byTag[tag, default: []].insert(lastTarget) }
            byChannel[target.channel, default: []].insert(lastTarget)
        }
        entries[id] = Entry(installation: installation, version: version, targets: numbers)
        for registration in Registration.all(of: installation, version: version) {
            byRegistration[registration.id.text] = registration.mark
        }
    }

    /// - Returns: whether there was such a device.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        sorted = nil
        for registration in Registration.all(of: entry.installation, version: entry.version) {
            byRegistration[registration.id.text] = nil
        }
        for number in entry.targets {
            guard let target = targets.removeValue(forKey: number) else { continue }
            for tag in target.tags { Self.take(number, outOf: &byTag, under: tag) }
            Self.take(number, outOf: &byChannel, under: target.channel)
        }
        return true
    }

    /// Everything the audience holds that understands the format, in order of registration.
    func find(_ audience: Audience, format: SendFormat) -> [PushTarget] {
        let candidates: [Int]
        switch audience {
        case .nobody:
            return []
        case .everybody:
            candidates = Array(targets.keys)
        case .handles(let channels):
            candidates = Array(channels.reduce(into: Set<Int>()) { $0.formUnion(byChannel[$1] ?? []) })
        case .tagged(let expression):
            if expression.matches(folded: []) {
                // Only a `!` can want a device without any of the tags; then everybody has to be asked.
                candidates = Array(targets.keys)
            } else {
                var some: Set<Int> = []
                for tag in expression.foldedTags { some.formUnion(byTag[tag] ?? []) }
                candidates = Array(some)
            }
        }
        return candidates.sorted().compactMap { number in
            guard let target = targets[number], format.reaches(target) else { return nil }
            if case .tagged(let expression) = audience, !expression.matches(folded: target.tags) { return nil }
            return target
        }
    }

    /// In order of device and template, from the one after `mark` on.
    ///
    /// - Parameter tag: in lower case; nil: all.
    mutating func registrations(after mark: RegistrationMark?, limit: Int, tag: String?) -> [Registration] {
        let devices: [String]
        if let tag {
            devices = Set((byTag[tag] ?? []).compactMap { targets[$0]?.device }).sorted()
        } else {
            devices = sorted ?? entries.keys.sorted()
            sorted = devices
        }
        var found: [Registration] = []
        let first = mark.map { mark in devices.partitioningIndex { $0 >= mark.device } } ?? 0
        for device in devices[first...] {
            guard let entry = entries[device] else { continue }
            for registration in Registration.all(of: entry.installation, version: entry.version) {
                if let mark, registration.mark <= mark { continue }
                if let tag, !registration.hasTag(tag) { continue }
                if found.count >= limit { return found }
                found.append(registration)
            }
        }
        return found
    }

    func registration(_ id: String) -> Registration? {
        guard let mark = byRegistration[id], let entry = entries[mark.device] else { return nil }
        return Registration(installation: entry.installation, template: mark.template, version: entry.version)
    }

    /// Those of the expression's tags that no device has, in lower case.
    func unknown(in expression: TagExpression) -> [String] {
        expression.foldedTags.filter { byTag[$0] == nil }
    }

    /// The device itself and each of its templates, with the tags the service derives (installations.json).
    private mutating func targets(of installation: Installation) throws(EmulatorError) -> [PushTarget] {
        func target(_ name: String?, _ template: SharedTemplate?) -> PushTarget {
            PushTarget(
                device: installation.installationId, platform: installation.platform,
                channel: installation.pushChannel.text, template: template, templateName: name,
                variables: installation.pushVariables ?? [:],
                isVoIP: name.flatMap { installation.templates?[$0] }?.isVoIP ?? false,
                tags: Set(installation.derivedTags(template: name).map { $0.lowercased() }))
        }
        var made = [target(nil, nil)]
        for (name, template) in (installation.templates ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shared = try compile(template.body, name: name)
            made.append(target(name, shared))
        }
        return made
    }

    private mutating func compile(_ body: String, name: String) throws(EmulatorError) -> SharedTemplate {
        if let known = templates[body] { return known }
        do {
            let shared = SharedTemplate(try Template(json: body))
            templates[body] = shared
            return shared
        } catch {
            throw EmulatorError("The template \(name) is not valid: \(error).")
        }
    }

    private static func take(_ number: Int, outOf index: inout [String: Set<Int>], under key: String) {
        index[key]?.remove(number)
        if index[key]?.isEmpty == true { index[key] = nil }
    }
}

extension [String] {
    /// The first index whose element fulfils a condition that holds from some element on.
    fileprivate func partitioningIndex(where condition: (String) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
