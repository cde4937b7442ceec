import PushModel

// Searches.
extension DeviceIndex {
    /// The parts of the audience's devices that take the format, in order of first registration, and the devices that
    /// are left out because they expired.
    ///
    /// - Parameter now: seconds since 1970.
    func find(
        _ audience: Audience, format: SendFormat, now: Double = 0
    ) -> (targets: [PushTarget], expired: [Device]) {
        var targets: [PushTarget] = []
        var expired: [Device] = []
        var handles: Set<String> = []
        if case .handles(let named) = audience { handles = Set(named) }
        func visit(_ device: Device) {
            let platform = device.platform
            for (index, part) in device.parts.all.enumerated()
            where isOfSender || format.reaches(part, of: platform) {
                switch audience {
                case .noDevices: return
                case .allDevices: break
                case .handles: if !handles.contains(device.channel(of: part)) { continue }
                case .tagged(let expression):
                    guard expression.matches(where: { device.has($0, in: part) }) else { continue }
                case .topics(let condition):
                    let topics = device.topics
                    guard condition.matches(where: topics.contains) else { continue }
                }
                if device.expires <= now {
                    if expired.last !== device { expired.append(device) }
                } else {
                    targets.append(PushTarget(device: device, index: index))
                }
            }
        }
        if let numbers = candidates(audience) {
            for number in numbers.sorted() { byNumber[Int(number)].map(visit) }
        } else {
            for case .some(let device) in byNumber { visit(device) }
        }
        return (targets, expired)
    }

    /// The devices to check; nil: all.
    private func candidates(_ audience: Audience) -> Set<UInt32>? {
        var numbers: Set<UInt32> = []
        switch audience {
        case .noDevices: break
        case .allDevices: return nil
        case .handles(let channels):
            for channel in channels { byChannel[channel]?.add(to: &numbers) }
        case .tagged(let expression):
            // With a `!` an expression may match a device without any of its tags: then check all devices.
            if expression.matches(where: { _ in false }) { return nil }
            for tag in expression.tags { add(holdersOf: tag.folded, to: &numbers) }
        case .topics(let condition):
            if condition.matches(where: { _ in false }) { return nil }
            for topic in condition.topics { byTopic[topic]?.add(to: &numbers) }
        }
        return numbers
    }

    /// - Parameter tag: in lower case.
    func add(holdersOf tag: String, to numbers: inout Set<UInt32>) {
        byTag[tag]?.add(to: &numbers)
        guard tag.hasPrefix("$installationid:{"), tag.hasSuffix("}") else { return }
        let id = String(tag.dropFirst("$installationid:{".count).dropLast())
        if let number = installations[id] { numbers.insert(number) }
        byFoldedID[id]?.add(to: &numbers)
    }

    /// Template values of an installation that contain an expression but do not begin with it.
    func mixedTexts(of id: String) -> [MixedText] {
        guard let number = installations[id], let device = byNumber[Int(number)] else { return [] }
        return device.parts.all.flatMap { part in
            (part.template?.template.mixed ?? []).map { MixedText(template: part.name ?? "", value: $0) }
        }
    }

    /// Most tags compared to suggest a spelling: a warning must not read a million of them.
    private static let nearTags = 2_000

    func tagNear(_ tag: String) -> String? {
        DidYouMean.nearest(
            to: tag, in: byTag.keys.lazy.filter { !$0.hasPrefix("$") }.prefix(Self.nearTags), tolerance: .oneInThree)
    }

    /// The ids of the devices that have the tag; it may be a derived one.
    ///
    /// - Parameter tag: in lower case.
    func devices(tag: String) -> Set<String> {
        Set<String>(
            holders(of: tag).compactMap { byNumber[Int($0)] }
                .filter { device in device.parts.all.contains { device.has(tag, in: $0) } }.map(\.id))
    }

    /// - Parameter tag: in lower case.
    func device(_ id: String, hasTag tag: String) -> Bool {
        guard let number = installations[id] ?? registrations[id], let device = byNumber[Int(number)] else {
            return false
        }
        return device.parts.all.contains { device.has(tag, in: $0) }
    }

    /// The ids of the devices that have the topic; case counts.
    func devices(topic: String) -> Set<String> {
        var numbers: Set<UInt32> = []
        byTopic[topic]?.add(to: &numbers)
        return Set<String>(numbers.compactMap { byNumber[Int($0)]?.id })
    }

    func device(_ id: String, hasTopic topic: String) -> Bool {
        guard let number = installations[id], let device = byNumber[Int(number)] else { return false }
        return device.topics.contains(topic)
    }

    /// A topic that some phone has, with a similar spelling or another case.
    func topicNear(_ topic: String) -> String? {
        DidYouMean.nearest(to: topic, in: byTopic.keys.lazy.prefix(Self.nearTags), tolerance: .oneInThree)
    }

    private func holders(of tag: String) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        add(holdersOf: tag, to: &numbers)
        return numbers
    }

    /// The expression's tags that no device has, in lower case.
    func unknown(in expression: TagExpression) -> [String] {
        expression.tags.map(\.folded).filter { holders(of: $0).isEmpty }
    }
}
