import PushModel
import Signing
import Synchronization

/// One hub: who may send to it, and the devices it knows.
final class Hub: Sendable {
    let name: String
    let policies: [SASPolicy]
    private let tokens: TokenCheck
    private let roster = Mutex(Roster())

    init(_ settings: EmulatorSettings.Hub) {
        name = settings.name
        policies = settings.policies
        tokens = TokenCheck(settings.policies)
    }

    var devices: [String] { roster.withLock { $0.devices } }

    func put(_ installation: Installation) throws(EmulatorError) {
        try roster.withLock { roster throws(EmulatorError) in try roster.put(installation) }
    }

    /// - Returns: false: there is no such device.
    /// - Throws: `EmulatorError` when it cannot be done; then nothing has changed.
    func patch(_ id: String, _ patch: InstallationPatch) throws(EmulatorError) -> Bool {
        try roster.withLock { roster throws(EmulatorError) in
            guard let installation = roster.installation(id) else { return false }
            try roster.put(try patch.applied(to: installation))
            return true
        }
    }

    func remove(_ id: String) -> Bool { roster.withLock { $0.remove(id) } }

    func installation(_ id: String) -> Installation? { roster.withLock { $0.installation(id) } }

    /// In order of device and template, from the one after `mark` on.
    ///
    /// - Parameters:
    ///   - mark: nil: from the first one on.
    ///   - tag: nil: all.
    func registrations(after mark: RegistrationMark?, limit: Int, tag: String?) -> [Registration] {
        roster.withLock { $0.registrations(after: mark, limit: limit, tag: tag?.lowercased()) }
    }

    func registration(_ id: String) -> Registration? { roster.withLock { $0.registration(id) } }

    /// Whom a send reaches, with what is worth a warning about it.
    struct Found: Sendable {
        var targets: [PushTarget] = []
        /// Tags no device has, in lower case; none where there are no devices.
        var unknownTags: [String] = []
        var isEmptyHub = false
    }

    func find(_ audience: Audience, format: SendFormat) -> Found {
        roster.withLock { roster in
            if roster.count == 0 { return Found(isEmptyHub: true) }
            var found = Found(targets: roster.find(audience, format: format))
            if case .tagged(let expression) = audience { found.unknownTags = roster.unknown(in: expression) }
            return found
        }
    }

    /// - Parameter rights: one of them is enough.
    /// - Throws: the 401 or 403 the service answers.
    func authorise(_ call: Call, for rights: Set<Right>, now: Double) throws(ServiceError) {
        // A clock out of a test may say anything, infinity too; a token's `se` is a whole number.
        let second = Int64(exactly: now.rounded(.down)) ?? .max
        switch tokens.verify(call, second: second) {
        case .valid(_, let held):
            if held.isDisjoint(with: rights) { throw rights.contains(.send) ? .missingSendRight : .missingClaim }
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
