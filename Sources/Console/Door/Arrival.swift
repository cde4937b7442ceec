import PushModel

/// How a request came to the console: directly, or through proxies that the settings name.
struct Arrival: Sendable, Equatable {
    /// `http` or `https`, as the browser asked. nil: through a proxy that does not name it.
    var scheme: String?
    /// The host that the browser asked for, in lower case and without the default port of the scheme.
    var host: String
    /// Every host that the request names: that of the request itself, and those that proxies add.
    var hosts: [String]
    /// Of the browser. nil: it is not known.
    var client: IPAddress?
    /// Whom the proxy names (`console.userHeader`). nil: persons sign in here.
    var personName: String?

    /// Whether the browser's side of the way is encrypted.
    var isSecure: Bool { scheme == "https" }
}
