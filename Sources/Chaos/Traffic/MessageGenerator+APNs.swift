// Rows for the sender of APNs: to one device token each.
extension MessageGenerator {
    /// How device tokens begin that phones had before they got another one (`TestEmulator`).
    static let goneHandle = "0dd0"
    /// And those that the emulator says of that they are gone.
    static let goneHandles = ["dead0410", "dead1410"]
    /// Of no app of ours, or of the sandbox.
    static let invalidHandles = ["dead0400", "dead1400", "5a4db0c5"]
    /// Those that APNs keeps refusing, but not for ever: it throttles them, or does not get through to them.
    static let slowHandles = ["dead0429", "dead0500", "dead0503", "dead1503"]

    /// What a handle says by how it begins: a backend may delete its phone.
    static func isGone(_ handle: String) -> Bool {
        ([gonePhone, goneHandle] + goneHandles).contains(where: handle.hasPrefix)
    }

    /// How handles of all kinds of hubs begin that are refused for a while.
    static let slow = slowPhones + slowHandles

    /// Makes such rows of one that has its marker, its priority and what it wants in doubt.
    mutating func nextForAPNs(_ template: Row) -> [[Row]] {
        rowsForAPNs += 1
        var row = template.saying(template.marker, in: nil, Self.alert)
        row.hub = TestHub.ios.rawValue
        row.format = "apple"
        row.tag = nil
        // By their number and not by chance: too many invalid tokens in a row hold the hub, and too many throttled phones
        // close its gate.
        let round = rowsForAPNs / 30
        switch rowsForAPNs % 30 {
        case 2, 12: row.handles = [TestEmulator.formerHandle(Int.random(in: 0..<TestEmulator.phones, using: &random))]
        case 22: row.handles = [handle(Self.goneHandles[round % Self.goneHandles.count])]
        case 7: row.handles = [handle(Self.invalidHandles[round % Self.invalidHandles.count])]
        case 20: row.handles = [handle(Self.invalidHandles[(round + 1) % Self.invalidHandles.count])]
        case 15:
            row.handles = [handle(Self.slowHandles[round % Self.slowHandles.count])]
            // It is tried again after a minute, or a quarter of an hour.
            row.expires = Double.random(in: 1...14, using: &random)
        default: return toPhones(row)
        }
        return [[row]]
    }

    /// A token of this content alone.
    private func handle(_ start: String) -> String { start + Self.hexadecimal(number) }

    private static func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    private mutating func toPhones(_ template: Row) -> [[Row]] {
        var row = template
        let handle = TestEmulator.handle(Int.random(in: 0..<TestEmulator.phones, using: &random))
        row.handles = [handle]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: row.handles = [handle.uppercased()]
        case 1: row.delay = Double.random(in: 0.5...8, using: &random)
        case 2: row.expires = Double.random(in: 0.5...4, using: &random)
        case 3:  // said twice: the second is not sent
            row.dedupeKey = "once-\(number)"
            return [[row], [row.saying(row.marker + ".again", in: nil, Self.alert)]]
        case 4: row.content = "{\"aps\":{\"content-available\":1},\"kind\":\"#\(row.marker)#\"}"
        default: break
        }
        return [[row]]
    }

    private static func alert(_ marker: String) -> String { "{\"aps\":{\"alert\":\"#\(marker)#\"}}" }
}
