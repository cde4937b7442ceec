import PushModel

/// Whom a send would reach, and why not the others.
struct Reach: Sendable, Encodable {
    struct Reached: Sendable, Equatable, Encodable {
        let device: String
        let platform: Installation.Platform
        /// The templates that match; empty: in the platform's own format.
        let templates: [String]
    }

    struct Missed: Sendable, Equatable, Encodable {
        let device: String
        let platform: Installation.Platform
        let reason: String
    }

    struct UnknownTag: Sendable, Equatable, Encodable {
        let tag: String
        /// A tag of the hub with a similar spelling.
        let similar: String?
    }

    /// Devices of the hub.
    let devices: Int
    /// Devices that get it.
    let count: Int
    /// The first ones.
    let reached: [Reached]
    /// The first ones.
    let missed: [Missed]
    /// Tags of the expression that no device has.
    let unknownTags: [UnknownTag]
}

extension Hub {
    /// Devices looked at for those that a send misses, so that a hub with a million answers at once.
    private static let mostLookedAt = 100_000

    /// - Parameter limit: of each list.
    func reach(_ audience: Audience, _ format: SendFormat, limit: Int) -> Reach {
        let found = find(audience, format: format)
        var templates: [String: [String]] = [:]
        var order: [PushTarget] = []
        for target in found.targets {
            if templates[target.deviceID] == nil { order.append(target) }
            templates[target.deviceID, default: []] += target.templateName.map { [$0] } ?? []
        }
        return Reach(
            devices: deviceCount, count: order.count,
            reached: order.prefix(limit).map {
                Reach.Reached(device: $0.deviceID, platform: $0.platform, templates: templates[$0.deviceID] ?? [])
            },
            missed: missed(by: audience, format, except: Set(templates.keys), limit: limit),
            unknownTags: found.unknownTags.map {
                Reach.UnknownTag(tag: $0, similar: sender == nil ? tagNear($0) : topicNear($0))
            })
    }

    /// The first devices that did not get a send, and why, judged by what they are now.
    ///
    /// - Parameters:
    ///   - except: ids of those that got it.
    ///   - fallback: the reason for a device that matches.
    func missed(
        by audience: Audience, _ format: SendFormat, except: Set<String>, limit: Int,
        fallback: (Device) -> Miss = { _ in .changedSince }
    ) -> [Reach.Missed] {
        let now = now()
        return index.withLock { index in
            var missed: [Reach.Missed] = []
            for case .some(let device) in index.byNumber.prefix(Self.mostLookedAt) where !except.contains(device.id) {
                if missed.count >= limit { break }
                let reason = Miss(of: device, audience, format, now: now) ?? fallback(device)
                missed.append(Reach.Missed(device: device.id, platform: device.platform, reason: reason.text))
            }
            return missed
        }
    }
}
