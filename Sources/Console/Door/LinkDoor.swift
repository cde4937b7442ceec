import HTTPServer
import HTTPTypes
import Pages
import PushModel
public import Signing
import Synchronization

/// The door of a console that one person starts for oneself (`fanfare console`): a link opens it once, and a cookie
/// keeps it open for that browser as long as the process runs. From this machine alone.
public final class LinkDoor: Door {
    private let person: Person
    private let entrance: Entrance
    private let pages: DoorPages
    private let key: Mutex<OneTimeKey>
    private let clock: @Sendable () -> Double
    /// The value of the cookie. Its name is of this process, too: browsers do not keep the cookies of two ports apart.
    private let session = RandomKey.make()
    private let cookie: ConsoleCookie

    /// - Parameters:
    ///   - person: who started it.
    ///   - listening: the address that it listens on, without a port: one of the loopback.
    ///   - clock: seconds that never go back. The key works for a minute from now.
    public init(
        for person: Person, options: ConsoleOptions, listening: String, clock: @escaping @Sendable () -> Double
    ) {
        self.person = person
        entrance = DoorSettings(people: People([])).entrance(listening: listening)
        pages = DoorPages(options: options)
        key = Mutex(OneTimeKey(now: clock()))
        self.clock = clock
        cookie = ConsoleCookie(
            baseName: "fanfare-console-" + RandomKey.make().reveal().prefix(8), basePath: options.basePath,
            isSecure: false)
    }

    /// The path of the link that works once, with its key.
    public var link: Secret {
        Secret(pages.address(["open"], [("key", key.withLock { $0.text }.reveal())]))
    }

    package func admit(_ request: HTTPRequest, on connection: PeerConnection) -> Admission {
        guard let address = connection.address.flatMap({ IPAddress($0) }), address.isLoopback else {
            return answer(pages.closed("Not possible", "This console is open on its own machine alone.", status: 403))
        }
        do throws(DoorRefusal) {
            _ = try entrance.arrival(of: request, from: connection.address)
        } catch {
            return answer(pages.refused(error))
        }
        guard let target = RequestTarget(request.path ?? ""),
            let path = Router.segments(of: target, below: pages.options.basePath)
        else { return answer(closed) }
        let isKnown = cookie.values(in: request.headerFields).contains { Secret(String($0)) == session }
        if path == ["open"] { return answer(open(request, target, isKnown: isKnown)) }
        if request.method != .post, let file = ConsoleFile.response(at: path) { return answer(file) }
        return isKnown ? .person(person) : answer(closed)
    }

    private func answer(_ response: Response) -> Admission { .answered(.withoutBody(.answer(response))) }

    private func open(_ request: HTTPRequest, _ target: RequestTarget, isKnown: Bool) -> Response {
        // A look ahead, of a mail program or a browser, does not use it up.
        guard request.method == .get else { return pages.onlyBy("GET") }
        // The link again, in the browser that it opened.
        if isKnown { return pages.redirect(to: pages.home) }
        let shown = FormFields(target.rawQuery.dropFirst())["key"] ?? ""
        switch key.withLock({ $0.use(shown, now: clock()) }) {
        case .accepted:
            var response = pages.redirect(to: pages.home)
            response.headers[.setCookie] = cookie.setting(session.reveal(), seconds: nil)
            return response
        case .used: return closed("This link was used.")
        case .late: return closed("This link is older than a minute.")
        case .wrong: return closed("This link is not of this console.")
        }
    }

    private func closed(_ why: String) -> Response {
        pages.closed("Closed", why + " Stop the command and start it again.", status: 403)
    }

    private var closed: Response {
        var response = pages.closed(
            "Closed",
            "This console opens for the person who started it, by the link that the command printed. If that is used, "
                + "stop the command and start it again.", status: 401)
        response.headers[.wwwAuthenticate] = "FanfareConsole"
        return response
    }
}
