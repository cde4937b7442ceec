import HubEmulator

// Rows for the sender of FCM: to one phone each, or to topics.
extension MessageGenerator {
    /// How tokens of phones begin whose app was removed.
    static let gonePhone = "gone-"
    /// And of those that FCM keeps refusing, but not for ever: it throttles them, or does not get through to them.
    static let slowPhones = ["throttle-", "unavailable-"]

    /// Makes such rows of one that has its marker, its priority and what it wants in doubt.
    mutating func nextForFCM(_ template: Row) -> [[Row]] {
        rowsForFCM += 1
        var row = template.saying(template.marker, in: nil, Self.message)
        row.hub = TestHub.shop.rawValue
        row.format = "fcmv1"
        row.tag = nil
        // By their number and not by chance: too many invalid tokens in a row hold the hub, and too many throttled phones
        // close its gate.
        switch rowsForFCM % 25 {
        case 2, 14: row.handles = ["\(Self.gonePhone)\(number)"]
        case 6: row.handles = ["invalid-\(number)"]
        case 18: row.handles = ["mismatch-\(number)"]
        case 10, 22:
            row.handles = ["\(Self.slowPhones[rowsForFCM % 25 == 10 ? 0 : 1])\(number)"]
            // It is tried again after ten seconds, or sixty.
            row.expires = Double.random(in: 1...14, using: &random)
        default:
            return toPhonesOrTopics(row, tag: template.tag ?? "")
        }
        return [[row]]
    }

    /// - Parameter tag: a topic of this content alone.
    private mutating func toPhonesOrTopics(_ template: Row, tag: String) -> [[Row]] {
        var row = template
        let phone = "phone-\(Int.random(in: 0..<TestEmulator.phones, using: &random))"
        switch Int.random(in: 0..<14, using: &random) {
        case 0: row.handles = ["fid:\(phone)"]
        case 1:
            row.handles = [phone]
            row.delay = Double.random(in: 0.5...8, using: &random)
        case 2:
            row.handles = [phone]
            row.expires = Double.random(in: 0.5...4, using: &random)
        case 3:  // said twice: the second is not sent
            row.handles = [phone]
            row.dedupeKey = "once-\(number)"
            return [[row], [row.saying(row.marker + ".again", in: nil, Self.message)]]
        case 4, 5: row.tag = TestEmulator.topics.randomElement(using: &random)
        case 6: row.tag = "(\(tag).a || \(tag).b) && !\(tag).c"
        case 7:  // one content for several topics, which may share a post
            return [
                (0..<Int.random(in: 2...8, using: &random)).map { part in
                    var each = row
                    each.tag = "\(tag).\(part)"
                    return each
                }
            ]
        case 8:  // in two languages, each a message of its own
            row.tag = tag
            return [
                ["en", "fr"].map { (locale: String) in
                    row.saying("\(row.marker).\(locale)", in: locale, Self.message)
                }
            ]
        case 9:  // refused whenever it comes
            row.tag = "\(tag).a || \(Self.refusedTag(Fault.refusals.randomElement(using: &random) ?? 404))"
        default: row.handles = [phone]
        }
        return [[row]]
    }

    private static func message(_ marker: String) -> String {
        "{\"message\":{\"notification\":{\"title\":\"#\(marker)#\"},\"data\":{\"kind\":\"chaos\"}}}"
    }
}
