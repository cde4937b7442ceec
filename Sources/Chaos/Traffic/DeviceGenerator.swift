import Postgres
import PushModel

/// What backends ask for their devices, of every kind there is. Pure: a seed in, transactions out.
struct DeviceGenerator {
    /// One call of push.put_device, push.patch_device or push.drop_device.
    struct Call: Sendable, Equatable {
        var hub: String
        var device: String
        var action: DeviceChange.Action
        var handle: String?
        var user: String?
        /// Of a put all of them, of a patch those that it adds.
        var tags: [String] = []
        /// Of a patch.
        var removed: [String] = []
        /// JSON; nil: none.
        var templates: String?
    }

    struct Transaction: Sendable, Equatable {
        /// In the order of their devices, so that two transactions cannot lock each other out.
        var calls: [Call]
        /// False: it is rolled back.
        var isKept: Bool
    }

    /// Devices of each hub.
    static let devices = 150
    /// A third of all changes is about these, so that changes of one device meet.
    static let busyDevices = 10
    private static let tags = ["red", "green", "blue", "World", "Science"]

    private var random: SeededRandom
    private var number = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func next() -> Transaction {
        let several = Int.random(in: 0..<4, using: &random) == 0
        var calls = (0..<(several ? Int.random(in: 2...4, using: &random) : 1)).map { _ in call() }
        calls.sort { ($0.hub, $0.device) < ($1.hub, $1.device) }
        return Transaction(calls: calls, isKept: Int.random(in: 0..<8, using: &random) > 0)
    }

    private mutating func call() -> Call {
        number += 1
        let most = Int.random(in: 0..<3, using: &random) == 0 ? Self.busyDevices : Self.devices
        let hub: TestHub = Int.random(in: 0..<4, using: &random) == 0 ? .local : .news
        let device = "phone-\(Int.random(in: 0..<most, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return Call(hub: hub.rawValue, device: device, action: .drop)
        case 1..<6:
            var call = Call(hub: hub.rawValue, device: device, action: .put)
            call.handle = handle()
            call.user = Bool.random(using: &random) ? "user-\(number)" : nil
            call.tags = some()
            call.templates = Bool.random(using: &random) ? templates(["news", "sport"]) : nil
            return call
        default:
            var call = Call(hub: hub.rawValue, device: device, action: .patch)
            call.tags = some()
            call.removed = some().filter { !call.tags.contains($0) }
            if Bool.random(using: &random) { call.templates = templates(["news", "weather"], removing: "sport") }
            if Bool.random(using: &random) { call.user = "user-\(number)" }
            // It has to change something.
            let isEmpty = call.tags.isEmpty && call.removed.isEmpty && call.templates == nil && call.user == nil
            if isEmpty || Bool.random(using: &random) { call.handle = handle() }
            return call
        }
    }

    /// No other call has the same.
    private mutating func handle() -> String {
        let digits = String(random.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private mutating func some() -> [String] { Self.tags.filter { _ in Bool.random(using: &random) } }

    private mutating func templates(_ names: [String], removing removed: String? = nil) -> String {
        let name = names.randomElement(using: &random) ?? names[0]
        let body = #"{\"aps\":{\"alert\":\"$(message)\"},\"number\":\#(number)}"#
        return #"{"\#(name)":{"body":"\#(body)"}\#(removed.map { #","\#($0)":null"# } ?? "")}"#
    }
}

extension DeviceGenerator.Call {
    /// Returns the id of the change.
    var sql: SQL {
        switch action {
        case .put:
            """
            SELECT push.put_device(\(hub), \(device), 'apns', \(handle), templates => \(templates)::text,
                                   user_id => \(user), tags => \(tags))
            """
        case .patch:
            """
            SELECT push.patch_device(\(hub), \(device), templates => \(templates)::text, add_tags => \(tags),
                                     remove_tags => \(removed), handle => \(handle), user_id => \(user))
            """
        case .drop: "SELECT push.drop_device(\(hub), \(device))"
        }
    }
}
