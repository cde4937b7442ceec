import PushModel

/// Where the parts of a message stand that Fanfare adds to: found in one pass over the text, without building it.
///
/// Of a name that stands there twice the last member counts, as PostgreSQL's functions for jsonb have it.
struct FCMOutline {
    /// Between the braces of `message`.
    private(set) var message = 0..<0
    private(set) var isEmpty = true
    private(set) var hasNotification = false
    private(set) var hasData = false
    private(set) var android = ObjectPart.absent
    private(set) var hasTTL = false
    private(set) var webpush = ObjectPart.absent
    private(set) var webHeaders = ObjectPart.absent
    private(set) var hasWebTTL = false
    private(set) var apns = ObjectPart.absent
    private(set) var appleHeaders = ObjectPart.absent
    private(set) var hasExpiration = false
    /// Of `apns-priority`, or of a push type that is not `background`.
    private(set) var hasPriority = false
    private var aps = ObjectPart.absent
    private var wakesApp = false
    private var isVisible = false

    /// A push that only wakes the app: its priority must be 5, and 10 is FCM's own (docs/wire/fcm-apns.md, "Priority").
    var isBackground: Bool {
        if hasNotification || isVisible { return false }
        return wakesApp || aps == .absent && hasData
    }

    /// - Throws: `.content` when it is not `{"message": {…}}`, or names a target itself.
    init(_ content: [UInt8]) throws(InvalidPost) {
        var scanner = JSONScanner(content)
        var fault: InvalidPost?
        do throws(JSONError) {
            try self.read(&scanner, &fault)
        } catch {
            throw .content("character \(error.position): \(error.rule)")
        }
        if let fault { throw fault }
    }

    private mutating func read(_ scanner: inout JSONScanner, _ fault: inout InvalidPost?) throws(JSONError) {
        var part = ObjectPart.absent
        let whole = try scanner.members(depth: 0) { scanner, name throws(JSONError) in
            guard name == .message else { return try scanner.skip(depth: 1) }
            self = FCMOutline()
            fault = nil
            part = try scanner.members(depth: 1) { scanner, name throws(JSONError) in
                try self.readMember(name, &scanner, &fault)
            }
            guard case .object(let start, let isEmpty) = part else { return }
            self.isEmpty = isEmpty
            message = start..<(scanner.at - 1)
        }
        try scanner.expectEnd(of: "content")
        guard whole != .other, case .object = part else {
            fault = .content("it is {\"message\": {...}}")
            return
        }
    }

    private init() {}

    private mutating func readMember(
        _ name: MemberName, _ scanner: inout JSONScanner, _ fault: inout InvalidPost?
    ) throws(JSONError) {
        switch name {
        case .token, .fid, .topic, .condition:
            fault = .content("the row's handles or tag name the target, and message.\(name) cannot")
            try scanner.skip(depth: 2)
        case .notification:
            hasNotification = scanner.next() != UInt8(ascii: "n")  // null
            try scanner.skip(depth: 2)
        case .data:
            hasData = true
            try scanner.skip(depth: 2)
        case .android:
            hasTTL = false
            android = try scanner.members(depth: 2) { scanner, name throws(JSONError) in
                if name == .ttl { hasTTL = true }
                try scanner.skip(depth: 3)
            }
        case .webpush:
            (webHeaders, hasWebTTL) = (.absent, false)
            webpush = try scanner.members(depth: 2) { scanner, name throws(JSONError) in
                guard name == .headers else { return try scanner.skip(depth: 3) }
                hasWebTTL = false
                webHeaders = try scanner.members(depth: 3, areHeaders: true) { scanner, name throws(JSONError) in
                    if name == .ttl { hasWebTTL = true }
                    try scanner.skip(depth: 4)
                }
            }
        case .apns: try readApple(&scanner)
        default: try scanner.skip(depth: 2)
        }
    }

    private mutating func readApple(_ scanner: inout JSONScanner) throws(JSONError) {
        (appleHeaders, hasExpiration, hasPriority) = (.absent, false, false)
        (aps, wakesApp, isVisible) = (.absent, false, false)
        apns = try scanner.members(depth: 2) { scanner, name throws(JSONError) in
            switch name {
            case .headers:
                (hasExpiration, hasPriority) = (false, false)
                appleHeaders = try scanner.members(depth: 3, areHeaders: true) { scanner, name throws(JSONError) in
                    switch name {
                    case .pushType:
                        let isBackground = try scanner.skips("\"background\"", depth: 4)
                        if !isBackground { hasPriority = true }
                        return
                    case .expiration: hasExpiration = true
                    case .priority: hasPriority = true
                    default: break
                    }
                    try scanner.skip(depth: 4)
                }
            case .payload:
                _ = try scanner.members(depth: 3) { scanner, name throws(JSONError) in
                    guard name == .aps else { return try scanner.skip(depth: 4) }
                    (wakesApp, isVisible) = (false, false)
                    aps = try scanner.members(depth: 4) { scanner, name throws(JSONError) in
                        switch name {
                        case .contentAvailable:
                            wakesApp = try scanner.skips("1", depth: 5)
                            return
                        case .alert, .badge, .sound: isVisible = true
                        default: break
                        }
                        try scanner.skip(depth: 5)
                    }
                }
            default: try scanner.skip(depth: 3)
            }
        }
    }
}
