import HTTPServer
import HTTPTypes
import Pages
import PushModel
import Synchronization

/// The door of a console that several persons share: they sign in with name and password, or a proxy names them.
public final class SignInDoor: Door {
    /// Larger forms are not read.
    static let formLimit = 4_096

    private let settings: Mutex<DoorSettings>
    private let limit = Mutex(SignInLimit())
    private let passwords = PasswordThread()
    private let options: SharedOptions
    private let listening: String
    private let clock: @Sendable () -> Double
    private let now: @Sendable () -> Double
    private let heard: @Sendable (SignInEvent) -> Void

    /// - Parameters:
    ///   - listening: the address that the console listens on, without a port.
    ///   - clock: seconds that never go back.
    ///   - now: seconds since 1970.
    ///   - heard: is called with what became of each password. Default: nobody hears of it.
    public init(
        _ settings: DoorSettings, options: ConsoleOptions, listening: String,
        clock: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Double,
        heard: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) {
        self.settings = Mutex(settings)
        self.options = SharedOptions(options)
        self.listening = listening
        self.clock = clock
        self.now = now
        self.heard = heard
    }

    /// From the next request on: a person who lost a right has lost it.
    public func replace(_ settings: DoorSettings, _ options: ConsoleOptions) {
        self.settings.withLock { $0 = settings }
        self.options.replace(options)
    }

    private var pages: DoorPages { DoorPages(options: options.current) }

    package func admit(_ request: HTTPRequest, on connection: PeerConnection) -> Admission {
        let settings = settings.withLock { $0 }
        let arrival: Arrival
        do throws(DoorRefusal) {
            arrival = try settings.entrance(listening: listening).arrival(of: request, from: connection.address)
        } catch {
            return .answered(.withoutBody(.answer(pages.refused(error))))
        }
        guard let target = RequestTarget(request.path ?? ""),
            let path = Router.segments(of: target, below: pages.options.basePath)
        else { return answer(signedOut(request)) }
        let person = person(of: request, arrival, settings)
        switch path {
        case ["sign-in"]:
            return signIn(request, target, arrival, isSignedIn: person != nil)
        case ["sign-out"]:
            guard request.method == .post else { return answer(pages.onlyBy("POST")) }
            return answer(signOut(arrival))
        default:
            // What makes the page for signing in look like one.
            if request.method != .post, let file = ConsoleFile.response(at: path) { return answer(file) }
        }
        if let person { return .person(person) }
        if let name = arrival.personName { return answer(unknown(name)) }
        return answer(signedOut(request))
    }

    private func answer(_ response: Response) -> Admission { .answered(.withoutBody(.answer(response))) }

    private func cookie(_ arrival: Arrival) -> ConsoleCookie {
        ConsoleCookie(basePath: pages.options.basePath, isSecure: arrival.isSecure)
    }

    private func person(of request: HTTPRequest, _ arrival: Arrival, _ settings: DoorSettings) -> Person? {
        if let name = arrival.personName { return settings.people[name]?.person }
        for value in cookie(arrival).values(in: request.headerFields) {
            if let person = SessionCookie.person(in: value, of: settings.people, now: now()) { return person }
        }
        return nil
    }

    // MARK: Nobody is known

    private func signedOut(_ request: HTTPRequest) -> Response {
        let to = LocalPath.checked(request.path, below: pages.options.basePath)
        let isPage = request.method == .get || request.method == .head
        let mode = request.headerFields[.secFetchMode]
        let isLive = request.headerFields[.xFanfareLive] != nil || mode == "cors" || mode == "same-origin"
        if isPage, !isLive { return pages.redirect(to: pages.signInAddress(to: to)) }
        var response = pages.closed(
            "Signed out",
            isPage
                ? "Nobody is signed in."
                : "Nobody is signed in (any more), so nothing was done. What you typed is not lost: sign in in another tab, then "
                    + "load this page again, and the browser sends it once more.",
            status: 401, signInTo: isPage ? to ?? pages.home : pages.home)
        // RFC 9110 section 15.5.2 asks for it. No browser knows this scheme, so none opens a dialogue of its own.
        response.headers[.wwwAuthenticate] = "FanfareConsole"
        return response
    }

    private func unknown(_ name: String) -> Response {
        let name = String(name.prefix(200))
        return pages.closed(
            "No rights",
            "The proxy says that you are \"\(name)\", and this console has no user of that name. Its settings need "
                + "console.users with the member \"\(name)\" and there \"may\": look, operate, campaigns or approve.",
            status: 403)
    }

    private func signOut(_ arrival: Arrival) -> Response {
        if arrival.personName != nil {
            return pages.closed("Still signed in", "Your proxy signs you in. Sign out there.", status: 200)
        }
        var response = pages.redirect(to: pages.signInAddress(to: nil))
        response.headers[.setCookie] = cookie(arrival).removing
        return response
    }

    // MARK: Signing in

    private func signIn(
        _ request: HTTPRequest, _ target: RequestTarget, _ arrival: Arrival, isSignedIn: Bool
    ) -> Admission {
        if let name = arrival.personName {
            return answer(isSignedIn ? pages.redirect(to: pages.home) : unknown(name))
        }
        if request.method == .post {
            return .answered(.body(limit: Self.formLimit) { [self] in signIn($0, arrival) })
        }
        guard request.method == .get || request.method == .head else { return answer(pages.onlyBy("GET, HEAD, POST")) }
        let to = LocalPath.checked(FormFields(target.rawQuery.dropFirst())["to"], below: pages.options.basePath)
        return answer(isSignedIn ? pages.redirect(to: to ?? pages.home) : pages.signIn(to: to))
    }

    private func signIn(_ body: UploadedBody, _ arrival: Arrival) -> ResponsePlan {
        guard let bytes = body.bytes else {
            return .answer(
                pages.closed(
                    "Not possible", "The form is larger than \(Self.formLimit) bytes.", status: 413,
                    signInTo: pages.home))
        }
        let form = SignInForm(String(decoding: bytes, as: UTF8.self), below: pages.options.basePath)
        // Again when it is its turn: by then the address may have guessed too often.
        if let seconds = wait(of: arrival.client) { return .answer(tooOften(seconds, form, arrival)) }
        return .later { [self] in
            let outcome = await passwords.run { [self] in check(form, from: arrival.client) }
            switch outcome {
            case .user(let user): return welcome(user, arrival, form)
            case .wait(let seconds): return tooOften(seconds, form, arrival)
            case .wrong:
                tell(.wrong, form, arrival)
                return pages.signIn(
                    status: 403, problem: "No user has this name and this password.", name: form.name, to: form.to)
            case nil: return busy(form)
            }
        }
    }

    private enum Outcome: Sendable {
        case user(Account)
        case wrong
        /// Seconds.
        case wait(Double)
    }

    /// Blocks while it computes.
    private func check(_ form: SignInForm, from client: IPAddress?) -> Outcome {
        if let seconds = wait(of: client) { return .wait(seconds) }
        let people = settings.withLock { $0.people }
        if let user = people.user(form.name, password: form.password) { return .user(user) }
        limit.withLock { $0.addWrong(from: client, now: clock()) }
        return .wrong
    }

    private func wait(of client: IPAddress?) -> Double? { limit.withLock { $0.wait(of: client, now: clock()) } }

    private func welcome(_ user: Account, _ arrival: Arrival, _ form: SignInForm) -> Response {
        tell(.signedIn, form, arrival)
        var response = pages.redirect(to: form.to ?? pages.home)
        response.headers[.setCookie] = SessionCookie.value(for: user, now: now()).map {
            cookie(arrival).setting($0, seconds: SessionCookie.seconds)
        }
        return response
    }

    private func tell(_ outcome: SignInEvent.Outcome, _ form: SignInForm, _ arrival: Arrival) {
        heard(SignInEvent(outcome, name: form.name, address: arrival.client?.description))
    }

    private func tooOften(_ seconds: Double, _ form: SignInForm, _ arrival: Arrival) -> Response {
        tell(.tooOften, form, arrival)
        let seconds = max(1, Int(seconds.rounded(.up)))
        return later(
            429, seconds, "Too many wrong passwords came from your address. Try again in \(seconds) s.", form)
    }

    private func busy(_ form: SignInForm) -> Response {
        later(503, 10, "Too many people are signing in at this moment. Try again in 10 s.", form)
    }

    private func later(_ status: Int, _ seconds: Int, _ words: String, _ form: SignInForm) -> Response {
        var response = pages.signIn(status: status, problem: words, name: form.name, to: form.to)
        response.headers[.retryAfter] = "\(seconds)"
        return response
    }
}
