import HTTPTransport
import PushModel
import Signing

/// The installations of one hub over REST (docs/wire/notification-hubs.md, "Installations"): the requests, and the
/// meaning of the answers. Pure; `HTTPClient.perform` does the waiting.
///
/// The service queues every change: a read may lag behind, and the service throttles reads hard.
public struct Installations: Sendable {
    /// `https://host/hub`
    private let base: String
    private let apiVersion: String
    private let userAgent: HeaderLine
    /// Interprets the hub's error answers.
    private let hub: NotificationHubs

    /// - Parameters:
    ///   - connection: locates the namespace. Its key is not used here: each request brings a pass.
    ///   - hub: the hub's own name; percent-encoded in the URL.
    ///   - apiVersion: default: that of today's SDKs.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    /// - Throws: `InvalidHub` for an invalid name, or a version that does not fit into a header.
    public init(
        connection: ConnectionString, hub: String, apiVersion: String = "2020-06", version: String = "dev"
    ) throws(InvalidHub) {
        self.hub = try NotificationHubs(connection: connection, hub: hub, apiVersion: apiVersion, version: version)
        base = "\(connection.base)/\(PercentEncoding.encode(hub))"
        self.apiVersion = PercentEncoding.encode(apiVersion)
        do throws(HeaderError) {
            userAgent = try HeaderLine("User-Agent", "fanfare/\(version)")
        } catch {
            throw .version(error)
        }
    }

    /// Reads one installation. 404 means that it does not exist, and that the hub accepted the token.
    ///
    /// - Parameter tracking: the id that Azure support asks for; nil: the service chooses one.
    /// - Throws: `InvalidInstallation` when the id cannot stand in a URL.
    public func request(
        get id: String, with pass: Pass, tracking: String? = nil
    ) throws(InvalidInstallation) -> Request {
        try request(.get, url(of: id), pass, tracking)
    }

    /// Registers a device, or replaces the installation with its id. Idempotent.
    ///
    /// - Throws: `InvalidInstallation` when the id cannot stand in a URL.
    public func request(
        put document: InstallationDocument, with pass: Pass, tracking: String? = nil
    ) throws(InvalidInstallation) -> Request {
        try request(.put, url(of: document.id), pass, tracking, body: document.bytes)
    }

    /// Changes parts of one installation.
    ///
    /// - Throws: `InvalidInstallation` when the id cannot stand in a URL.
    public func request(
        patch changes: InstallationPatch, of id: String, with pass: Pass, tracking: String? = nil
    ) throws(InvalidInstallation) -> Request {
        try request(.patch, url(of: id), pass, tracking, body: changes.json)
    }

    /// Deletes one installation. The answer does not show whether it existed.
    ///
    /// - Throws: `InvalidInstallation` when the id cannot stand in a URL.
    public func request(
        delete id: String, with pass: Pass, tracking: String? = nil
    ) throws(InvalidInstallation) -> Request {
        try request(.delete, url(of: id), pass, tracking)
    }

    /// One page of all registrations: the only list the service offers. Several may belong to one installation.
    ///
    /// - Parameters:
    ///   - top: the most registrations on the page, 1 to 100.
    ///   - tag: only those that have it; nil: all. Both need the right Manage.
    ///   - continuation: `InstallationAnswer.continuation` of the page before; nil: the first page.
    /// - Throws: `InvalidInstallation` when the token does not fit into a header.
    public func request(
        registrations top: Int, of tag: String? = nil, after continuation: String?, with pass: Pass,
        tracking: String? = nil
    ) throws(InvalidInstallation) -> Request {
        let path = tag.map { "tags/\(PercentEncoding.encode($0))/registrations" } ?? "registrations"
        let after = continuation.map { "&ContinuationToken=\(PercentEncoding.encode($0))" } ?? ""
        let url = "\(base)/\(path)?api-version=\(apiVersion)&$top=\(min(max(top, 1), 100))\(after)"
        return try request(.get, url, pass, tracking)
    }

    /// Never throws: every reply has a meaning.
    public func answer(to reply: Reply) -> InstallationAnswer {
        let answer = hub.answer(to: reply)
        guard case .answered(let response) = reply.outcome else { return InstallationAnswer(answer) }
        var read = InstallationAnswer(answer)
        read.continuation = response["x-ms-continuationtoken"].flatMap { $0.isEmpty ? nil : $0 }
        read.body = response.body
        // A missing hub has the same status; only the words show which of the two is missing.
        if response.status == 404, HubError(body: response.body).detail.lowercased().contains("installation not found")
        {
            read.isMissing = true
        }
        return read
    }

    private func url(of id: String) throws(InvalidInstallation) -> String {
        guard !id.isEmpty else { throw .id("it is empty") }
        // A URL drops these, and would then address all installations or the hub itself.
        guard id != ".", id != ".." else { throw .id("it is only dots") }
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .id("it has a control character")
        }
        return "\(base)/installations/\(PercentEncoding.encode(id))?api-version=\(apiVersion)"
    }

    private func request(
        _ method: Request.Method, _ url: String, _ pass: Pass, _ tracking: String?, body: [UInt8]? = nil
    ) throws(InvalidInstallation) -> Request {
        do throws(HeaderError) {
            var lines = [try HeaderLine(pass)]
            if body != nil { lines.append(try HeaderLine("Content-Type", "application/json")) }
            if let tracking { lines.append(try HeaderLine("TrackingId", tracking)) }
            return Request(method: method, url: url, shared: SharedHeaders(lines + [userAgent]), body: body ?? [])
        } catch {
            throw .header(error)
        }
    }
}
