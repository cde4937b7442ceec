import PushModel

/// The body of a request to FCM: the row's message with its target and its life added (docs/wire/fcm-apns.md, "Send over
/// HTTP v1").
///
/// The message's own text goes on byte for byte: what Fanfare adds is spliced in, nothing is decoded and written anew. What
/// stands beside `message` is left out, so that no row can ask for `validate_only`.
struct FCMMessage {
    private let content: [UInt8]
    private let outline: FCMOutline

    /// - Parameter content: `{"message": {…}}`, UTF-8.
    /// - Throws: `.content`.
    init(_ content: [UInt8]) throws(InvalidPost) {
        self.content = content
        outline = try FCMOutline(content)
    }

    /// How long FCM and the services behind it may keep a message.
    struct Life {
        /// Whole seconds, rounded down: 0 is now or never. At most four weeks, FCM's own limit and default.
        let seconds: Int
        /// Seconds since 1970, rounded down.
        let end: Int64

        static let longest = 2_419_200

        /// - Parameters:
        ///   - expiry: seconds since 1970.
        ///   - now: seconds since 1970.
        /// - Returns: nil for a time that never comes.
        init?(until expiry: Double, now: Double) {
            guard expiry.isFinite, now.isFinite, abs(expiry) < 1e15 else { return nil }
            seconds = Int(min(max(expiry - now, 0), Double(Self.longest)))
            // 0 would mean one attempt, as APNs has it.
            end = max(Int64(expiry.rounded(.down)), 1)
        }
    }

    /// - Parameters:
    ///   - life: put where the message names none of its own; nil: nowhere.
    ///   - validateOnly: FCM checks everything and delivers nothing. Default: false.
    func body(to target: FCMTarget, life: Life?, validateOnly: Bool = false) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(outline.message.count + 320)
        body.append(validateOnly ? "{\"validate_only\":true,\"message\":{" : "{\"message\":{")
        target.append(to: &body)
        var splices: [Splice] = []
        addAndroid(life, &body, &splices)
        addApple(life, &body, &splices)
        addWeb(life, &body, &splices)
        if !outline.isEmpty { body.append(UInt8(ascii: ",")) }
        splices.sort { $0.at < $1.at }
        var next = outline.message.lowerBound
        for splice in splices {
            body.append(contentsOf: content[next..<splice.at])
            splice.write(to: &body)
            next = splice.at
        }
        body.append(contentsOf: content[next..<outline.message.upperBound])
        body.append("}}")
        return body
    }

    /// What goes into an object of the message, before its first member.
    private struct Splice {
        let at: Int
        let hasMore: Bool
        let text: String

        init(_ text: String, at start: Int, isEmpty: Bool) {
            (at, hasMore, self.text) = (start, !isEmpty, text)
        }

        func write(to body: inout [UInt8]) {
            body.append(contentsOf: text.utf8)
            if hasMore { body.append(UInt8(ascii: ",")) }
        }
    }

    private func addAndroid(_ life: Life?, _ body: inout [UInt8], _ splices: inout [Splice]) {
        guard let life, !outline.hasTTL else { return }
        switch outline.android {
        case .absent:
            body.append(",\"android\":{\"ttl\":\"")
            body.append(decimal: life.seconds)
            body.append("s\"}")
        case .object(let start, let isEmpty):
            splices.append(Splice("\"ttl\":\"\(life.seconds)s\"", at: start, isEmpty: isEmpty))
        case .other: break
        }
    }

    private func addApple(_ life: Life?, _ body: inout [UInt8], _ splices: inout [Splice]) {
        let end = outline.hasExpiration ? nil : life?.end
        let priority = outline.isBackground && !outline.hasPriority
        guard end != nil || priority, outline.apns != .other, outline.appleHeaders != .other else { return }
        if outline.apns == .absent {
            // Without a block FCM chooses the priority by itself.
            guard let end else { return }
            body.append(",\"apns\":{\"headers\":{\"apns-expiration\":\"")
            body.append(decimal: Int(end))
            body.append(priority ? "\",\"apns-priority\":\"5\"}}" : "\"}}")
            return
        }
        var lines = end.map { "\"apns-expiration\":\"\($0)\"" } ?? ""
        if priority { lines += (lines.isEmpty ? "" : ",") + "\"apns-priority\":\"5\"" }
        if case .object(let start, let isEmpty) = outline.appleHeaders {
            splices.append(Splice(lines, at: start, isEmpty: isEmpty))
        } else if case .object(let start, let isEmpty) = outline.apns {
            splices.append(Splice("\"headers\":{\(lines)}", at: start, isEmpty: isEmpty))
        }
    }

    private func addWeb(_ life: Life?, _ body: inout [UInt8], _ splices: inout [Splice]) {
        guard let life, !outline.hasWebTTL, outline.webHeaders != .other else { return }
        switch (outline.webpush, outline.webHeaders) {
        case (.absent, _):
            body.append(",\"webpush\":{\"headers\":{\"TTL\":\"")
            body.append(decimal: life.seconds)
            body.append("\"}}")
        case (_, .object(let start, let isEmpty)):
            splices.append(Splice("\"TTL\":\"\(life.seconds)\"", at: start, isEmpty: isEmpty))
        case (.object(let start, let isEmpty), _):
            splices.append(Splice("\"headers\":{\"TTL\":\"\(life.seconds)\"}", at: start, isEmpty: isEmpty))
        default: break
        }
    }
}

extension [UInt8] {
    /// Without a string in between, which would be one more allocation.
    fileprivate mutating func append(decimal number: Int) {
        var digits: UInt64 = 0
        var count = 0
        var rest = number
        // At most 16 digits of four bits.
        repeat {
            digits = digits << 4 | UInt64(rest % 10)
            rest /= 10
            count += 1
        } while rest > 0
        for _ in 0..<count {
            append(UInt8(ascii: "0") + UInt8(digits & 15))
            digits >>= 4
        }
    }
}
