import HubEmulator

// What the emulator does for an injected fault. Pure.
extension Fault {
    /// Statuses that say that the hub refuses us, or that no hub is there.
    static let refusals = [403, 404, 307, 407, 501, 505]

    private static let sends: Set<Operation> = [.send, .direct, .batch, .test, .schedule, .fcm, .apns]

    /// - Parameter injection: one of those that a hub does.
    init(_ injection: InjectedFault) {
        let seed = injection.seed
        let some = Moment.probability(0.3, seed: seed)
        switch injection.kind {
        case .cutBeforeBody:
            self.init(some, closing: .beforeBody)
            operations = [.send, .installation, .apns]  // only its body identifies a direct send, or one to FCM
        case .cutAfterBody: self.init(some, closing: .afterBody)
        case .cutAfterTaking:
            self.init(some, closing: .afterBody)
            taken = true
        case .cutAnswer:
            // Not for devices: it says 201 also where the hub has no such device to patch.
            self.init(some, status: 201, closing: seed.isMultiple(of: 2) ? .midAnswer : .afterHead)
            taken = true
            operations = Self.sends
        case .throttle:
            self.init(.beyond(rate: 5, burst: 5))
            retryAfter = seed.isMultiple(of: 2) ? .seconds(1) : .date(inSeconds: 2)
        case .serverError: self.init(some, status: [503, 500, 502][Int(seed % 3)])
        case .gatewayTimeout:
            self.init(some, status: 504)
            taken = true
            operations = [.fcm, .apns]
        case .tokenEndpoint:
            self.init(tokenEndpoint: seed)
        case .refuse: self.init(some, status: Self.refusals[Int(seed % UInt64(Self.refusals.count))])
        case .hang:
            self.init(some)
            hang(seed)
            operations = Self.sends.union([.installation, .fcmToken])
        case .skew:
            self.init(.every(1))
            skewSeconds = 7_200
            // Not for APNs: no provider token is made for 20 minutes in place of a new one that it calls ended, and the run would
            // be over. `endToken` does that to one.
            operations = Self.sends.subtracting([.apns]).union([.installation])
        case .goAway, .resetStream, .lowerStreams, .swallow, .endToken: self.init(ofAPNs: injection)
        default:
            self.init(.every(1))
            rotated = .primary
            operations = Self.sends.union([.installation, .fcmToken])
        }
        if operations.isEmpty { operations = Self.sends.union([.installation]) }
        reset = seed % 3 == 0 && closing != nil && closing != .stream && closing != .never
    }

    /// What Apple's servers do to a connection, or to one stream of it.
    private init(ofAPNs injection: InjectedFault) {
        let seed = injection.seed
        switch injection.kind {
        case .goAway:
            self.init(.every(2 + Int(seed % 7)))
            goAway = "Shutdown"
        case .resetStream:
            self.init(.probability(0.3, seed: seed), closing: .stream)
            let codes = StreamCode.allCases
            let code = seed.isMultiple(of: 2) ? .refusedStream : codes[Int(seed / 2 % UInt64(codes.count))]
            streamCode = code
            taken = code != .refusedStream && seed % 3 == 0
        case .lowerStreams:
            self.init(.every(1))
            streams = Int(seed % 3)
        case .swallow:
            self.init(.probability(0.3, seed: seed), closing: .never)
            taken = seed.isMultiple(of: 2)
            ignoresPings = true
        default:
            self.init(.nth(1))
            endsToken = true
        }
        operations = [.apns]
    }

    /// Whether the answer to a request that it strikes is not what the hub would have said, or late.
    var spoilsAnswers: Bool {
        status != nil || closing != nil || max(delayMilliseconds, delayUpToMilliseconds) > 0 || skewSeconds != 0
            || rotated != nil
    }

    private init(tokenEndpoint seed: UInt64) {
        switch seed % 6 {
        case 0: self.init(.every(1), status: 503)
        case 1: self.init(.every(1), status: 500)
        case 2:
            self.init(.every(1), status: 429)
            retryAfter = .seconds(1)
        case 3: self.init(.every(1), closing: .afterBody)
        case 4:
            self.init(.every(1))
            hang(seed)
        // Whom it refuses, waits for half a minute and more: one worker.
        default: self.init(.next(1), status: 400)
        }
        operations = [.fcmToken]
    }

    private mutating func hang(_ seed: UInt64) {
        (delayMilliseconds, delayUpToMilliseconds, self.seed) = (500, 4_000, seed)
    }
}
