import PushModel

/// The devices of one hub, found by tag without looking at the others: a load test sends to a hundred thousand tags,
/// and hardly any of them has a device.
struct Roster: Sendable {
    private struct Entry: Sendable {
        let installation: Installation
        let targets: [Int]
    }

    private var entries: [String: Entry] = [:]
    private var targets: [Int: PushTarget] = [:]
    /// Target numbers by tag, and by channel.
    private var byTag: [String: Set<Int>] = [:]
    private var byChannel: [String: Set<Int>] = [:]
    private var templates: [String: SharedTemplate] = [:]
    private var lastTarget = 0

    var count: Int { entries.count }
    var devices: [String] { entries.keys.sorted() }

    func installation(_ id: String) -> Installation? { entries[id]?.installation }

    /// Registers a device, or replaces what was registered under its id.
    ///
    /// - Throws: `EmulatorError` when the installation breaks a rule; then nothing has changed.
    mutating func put(_ installation: Installation) throws(EmulatorError) {
        try installation.check()
        let made = try targets(of: installation)
        remove(installation.installationId)
        var numbers: [Int] = []
        for target in made {
            lastTarget += 1
            numbers.append(lastTarget)
            targets[lastTarget] = target
            for tag in target.tags { byTag[tag, default: []].insert(lastTarget) }
            byChannel[target.channel, default: []].insert(lastTarget)
        }
        entries[installation.installationId] = Entry(installation: installation, targets: numbers)
    }

    /// - Returns: whether there was such a device.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
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
        case .handle(let channel):
            candidates = Array(byChannel[channel] ?? [])
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

    /// Those of the expression's tags that no device has, in lower case.
    func unknown(in expression: TagExpression) -> [String] {
        expression.foldedTags.filter { byTag[$0] == nil }
    }

    /// The device itself and each of its templates, with the tags the service derives (installations.json).
    private mutating func targets(of installation: Installation) throws(EmulatorError) -> [PushTarget] {
        var common = Set(installation.tags ?? [])
        common.insert("$InstallationId:{\(installation.installationId)}")
        if let user = installation.userId, !user.isEmpty { common.insert("$UserId:{\(user)}") }
        func target(_ name: String?, _ template: SharedTemplate?, _ tags: Set<String>) -> PushTarget {
            PushTarget(
                device: installation.installationId, platform: installation.platform,
                channel: installation.pushChannel.text, template: template, templateName: name,
                tags: Set(tags.map { $0.lowercased() }))
        }
        var made = [target(nil, nil, common)]
        for (name, template) in (installation.templates ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shared = try compile(template.body, name: name)
            made.append(target(name, shared, common.union(template.tags ?? [name])))
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
