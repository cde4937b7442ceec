import HTTPTransport
import PushModel

/// What APNs is told about one push beside its payload: the row's headers, and what follows from row and payload where it
/// names none (docs/wire/fcm-apns.md, "Headers of a push").
struct PushHeaders {
    let type: ApplePushType
    /// What the row names instead of the hub's topic; nil: nothing.
    private(set) var topic: String?
    private(set) var id: String?
    private(set) var expiration: String?
    private(set) var priority: String?
    private(set) var collapseID: String?
    /// Headers of Apple's that Fanfare does not know, as the row has them.
    private(set) var others: [Post.Header] = []

    /// Bytes of `apns-collapse-id`.
    static let collapseLimit = 64
    private static let prefix = "apns-"

    /// - Throws: `.headerNotAllowed`, `.headerValue`, `.backgroundPriority`, `.content`.
    init(_ post: Post) throws(InvalidPost) {
        var named: ApplePushType?
        var seen: Set<String> = []
        for header in post.headers {
            let name = header.name.lowercased()
            guard name.hasPrefix(Self.prefix), name != Self.prefix, seen.insert(name).inserted else {
                throw .headerNotAllowed(name: header.name)
            }
            func check(_ isValid: Bool) throws(InvalidPost) { if !isValid { throw .headerValue(name: name) } }
            switch name {
            case "apns-push-type":
                named = ApplePushType(rawValue: header.value)
                try check(named != nil)
            case "apns-topic": topic = header.value
            case "apns-id":
                id = PushID(header.value)?.text
                try check(id != nil)
            case "apns-expiration":
                try check(
                    !header.value.isEmpty && header.value.utf8.count <= 18 && header.value.utf8.allSatisfy(\.isDigit))
                expiration = header.value
            case "apns-priority":
                try check(["1", "5", "10"].contains(header.value))
                priority = header.value
            case "apns-collapse-id":
                try check((1...Self.collapseLimit).contains(header.value.utf8.count))
                collapseID = header.value
            default: others.append(Post.Header(name: name, value: header.value))
            }
        }
        if let named { type = named } else { type = try PushOutline(post.body).type }
        if type == .background {
            // Without the header it is 10, which APNs refuses here.
            guard priority ?? "5" == "5" else { throw .backgroundPriority }
            priority = "5"
        }
        expiration = expiration ?? post.expiresAt.flatMap(Self.expiration)
    }

    /// - Parameter expiry: seconds since 1970.
    /// - Returns: whole seconds, rounded down, and never 0: that would be one attempt and no storage. Nil for a time that never
    ///   comes.
    private static func expiration(_ expiry: Double) -> String? {
        guard expiry.isFinite, abs(expiry) < 1e15 else { return nil }
        return String(max(Int64(expiry.rounded(.down)), 1))
    }

    /// The lines of this push alone.
    func lines(id made: PushID) throws(HeaderError) -> [HeaderLine] {
        var lines = [try HeaderLine("apns-id", id ?? made.text)]
        if let expiration { lines.append(try HeaderLine("apns-expiration", expiration)) }
        if let priority { lines.append(try HeaderLine("apns-priority", priority)) }
        if let collapseID { lines.append(try HeaderLine("apns-collapse-id", collapseID)) }
        for header in others { lines.append(try HeaderLine(header.name, header.value)) }
        return lines
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
