/// Why the hub answered 403 without a time to wait, from its own words (docs/wire/notification-hubs.md, "Status codes").
///
/// The words of the service are documented nowhere, so this looks for what every such sentence must name. A wrong guess
/// only puts a wrong reason beside those words: whether a message or its hub is at fault is decided by other posts. A
/// sentence that may mean two things gets the milder one, and only a size alone is final for the message.
enum ForbiddenCause: Equatable {
    /// Too many requests, without `Retry-After`.
    case throttled
    /// The tier lacks the feature, or its quota is used up.
    case quota
    case tooLarge
    /// A missing right, or no word we know: newer versions answer with an empty body.
    case refused

    init(_ error: HubError) {
        let text = error.detail.lowercased()
        let words = Set(text.split { !$0.isLetter })
        func says(_ phrases: String...) -> Bool { phrases.contains { text.contains($0) } }

        if ["42900", "50004"].contains(error.subcode)
            || says("throttl", "too many requests", "rate is too high", "rate limit", "server busy", "server is busy")
        {
            self = .throttled
        } else if !words.isDisjoint(with: ["quota", "quotas", "tier", "sku"]) {
            self = .quota
        } else if says("too large", "too big", "message size", "payload size") {
            self = .tooLarge
        } else if says("exceeded", "limit") {
            self = .quota
        } else {
            self = .refused
        }
    }
}
