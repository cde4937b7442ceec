import HTTPTypes

// The names are tokens, so the forced unwraps hold.
extension HTTPField.Name {
    /// RFC 7239.
    static let forwarded = Self("Forwarded")!
    static let xForwardedFor = Self("X-Forwarded-For")!
    static let xForwardedHost = Self("X-Forwarded-Host")!
    static let xForwardedProto = Self("X-Forwarded-Proto")!
    /// Which site asks, as the browser knows it; no script can write it (Fetch Metadata Request Headers).
    static let secFetchSite = Self("Sec-Fetch-Site")!
    static let secFetchMode = Self("Sec-Fetch-Mode")!
    /// The console's own script asks again for the page that it is on.
    static let xFanfareLive = Self("X-Fanfare-Live")!
}
