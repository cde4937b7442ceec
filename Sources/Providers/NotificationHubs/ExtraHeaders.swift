import HTTPTransport
import PushModel

/// The headers a message may set: those the hub passes on to the platform. We set all others, above all the token, the
/// tags and the format.
struct ExtraHeaders {
    let lines: [HeaderLine]
    /// Whether this is a raw Windows notification, whose body is not XML.
    let raw: Bool

    private static let prefixes = ["apns-", "x-wns-"]
    private static let names: Set = [
        "x-windowsphone-target", "x-notificationclass", "servicebusnotification-apns-expiry", "x-baidu-message-type",
    ]
    /// A browser's subscription: the keys its payload is encrypted with.
    private static let keys: Set = ["auth", "p256dh"]

    /// - Parameter allowingKeys: takes a browser's keys too, which only its own handle may have.
    init(_ headers: [Post.Header], allowingKeys: Bool = false) throws(InvalidPost) {
        var lines: [HeaderLine] = []
        var seen: Set<String> = []
        var raw = false
        for header in headers {
            let name = header.name.lowercased()
            guard Self.isAllowed(name) || allowingKeys && Self.keys.contains(name), seen.insert(name).inserted else {
                throw .headerNotAllowed(name: header.name)
            }
            do throws(HeaderError) {
                lines.append(try HeaderLine(header.name, header.value))
            } catch {
                throw .header(error)
            }
            if name == "x-wns-type" { raw = header.value.lowercased() == "wns/raw" }
        }
        self.lines = lines
        self.raw = raw
    }

    /// - Parameter name: in lower case.
    func has(_ name: String) -> Bool { lines.contains { $0.name.lowercased() == name } }

    private static func isAllowed(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) && name != $0 }
    }
}
