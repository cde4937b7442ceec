import PushModel

// What is asked of the roster.
extension DeviceIndex {
    /// Everything the audience holds that understands the format, in order of first registration, and who would be among
    /// them had they not expired.
    ///
    /// - Parameter now: seconds since 1970.
    func find(
        _ audience: Audience, format: SendFormat, now: Double = 0
    ) -> (targets: [PushTarget], expired: [Device]) {
        var targets: [PushTarget] = []
        var expired: [Device] = []
        var handles: Set<String> = []
        if case .handles(let named) = audience { handles = Set(named) }
        func ask(_ resident: Device) {
            let platform = resident.platform
            for (index, part) in resident.parts.all.enumerated() where format.reaches(part, of: platform) {
                switch audience {
                case .nobody: return
                case .everybody: break
                case .handles: if !handles.contains(resident.channel(of: part)) { continue }
                case .tagged(let expression):
                    guard expression.matches(where: { resident.has($0, in: part) }) else { continue }
                }
                if resident.expires <= now {
                    if expired.last !== resident { expired.append(resident) }
                } else {
                    targets.append(PushTarget(resident: resident, index: index))
                }
            }
        }
        if let numbers = candidates(audience) {
            for number in numbers.sorted() { residents[Int(number)].map(ask) }
        } else {
            for case .some(let resident) in residents { ask(resident) }
        }
        return (targets, expired)
    }

    /// nil: everybody has to be asked.
    private func candidates(_ audience: Audience) -> Set<UInt32>? {
        var some: Set<UInt32> = []
        switch audience {
        case .nobody: break
        case .everybody: return nil
        case .handles(let channels):
            for channel in channels { byChannel[channel]?.add(to: &some) }
        case .tagged(let expression):
            // Only a `!` can want a device without any of the tags; then everybody has to be asked.
            if expression.matches(where: { _ in false }) { return nil }
            for tag in expression.foldedTags { add(holdersOf: tag, to: &some) }
        }
        return some
    }

    /// - Parameter tag: in lower case.
    func add(holdersOf tag: String, to some: inout Set<UInt32>) {
        byTag[tag]?.add(to: &some)
        guard tag.hasPrefix("$installationid:{"), tag.hasSuffix("}") else { return }
        let id = String(tag.dropFirst("$installationid:{".count).dropLast())
        if let number = installations[id] { some.insert(number) }
        byFoldedID[id]?.add(to: &some)
    }

    /// The values of an installation's templates in which an expression stands but does not begin them.
    func mixedTexts(of id: String) -> [MixedText] {
        guard let number = installations[id], let resident = residents[Int(number)] else { return [] }
        return resident.parts.all.flatMap { part in
            (part.template?.template.mixed ?? []).map { MixedText(template: part.name ?? "", value: $0) }
        }
    }

    /// Tags looked at for one that is spelt nearly like another: a warning must not go through a million of them.
    private static let nearTags = 2_000

    func tagNear(_ tag: String) -> String? {
        Nearest.word(to: tag, among: byTag.keys.lazy.filter { !$0.hasPrefix("$") }.prefix(Self.nearTags))
    }

    /// The ids of the devices that have the tag, the derived ones too.
    ///
    /// - Parameter tag: in lower case.
    func devices(tag: String) -> Set<String> {
        Set<String>(
            holders(of: tag).compactMap { residents[Int($0)] }
                .filter { resident in resident.parts.all.contains { resident.has(tag, in: $0) } }.map(\.id))
    }

    /// - Parameter tag: in lower case.
    func device(_ id: String, hasTag tag: String) -> Bool {
        guard let number = installations[id] ?? registrations[id], let resident = residents[Int(number)] else {
            return false
        }
        return resident.parts.all.contains { resident.has(tag, in: $0) }
    }

    private func holders(of tag: String) -> Set<UInt32> {
        var some: Set<UInt32> = []
        add(holdersOf: tag, to: &some)
        return some
    }

    /// Those of the expression's tags that no device has, in lower case.
    func unknown(in expression: TagExpression) -> [String] {
        expression.foldedTags.filter { holders(of: $0).isEmpty }
    }
}
