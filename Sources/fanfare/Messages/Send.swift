import CommandLineTool
import ArgumentParser
import Foundation
import HTTPTransport
import Providers
import PushModel
import Signing

/// `fanfare send`
struct Send: ReportingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send one push straight to a hub, without the database.",
        discussion: """
            The same planner as the worker's makes the request; nothing is written down, and nothing is tried again. A \
            hub that localises by tag gets one request for each language. A hub that accepts a push says nothing about \
            phones; --test makes it wait for the platforms, or only check, as its kind can.

            Exits 0 accepted, 1 refused for good (or, with --test, by a platform), 65 not a message, 69 hub out of \
            reach, 75 throttled, unavailable or in doubt, 78 the hub refuses our key.

            Example: fanfare send --hub news --tag World --property title=Hello --dry-run
            """)

    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup(title: "For whom") var target: TargetOptions
    @OptionGroup(title: "The message") var content: ContentOptions

    @Flag(
        help: """
            Let a notification hub send at once, to at most 10 devices with a tag, and print what each platform \
            answered; let FCM check everything and send nothing. APNs has no test, so this asks before it really sends.
            """)
    var test = false

    @Flag(help: "Print the request that would leave, without its token, and send nothing.") var dryRun = false
    @Flag(help: "Do not ask back: this really goes to everyone.") var yes = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try target.check()
        try content.check()
        if target.broadcast && !yes && !dryRun {
            throw ValidationError("--broadcast goes to every device of the hub: say --yes if that is meant.")
        }
        if test && dryRun { throw ValidationError("--test and --dry-run exclude each other.") }
    }

    func report() async throws -> Report {
        let hub = try HubClient(self.hub, of: try options.common.settings())
        let posts = try plan(for: hub.settings)
        if dryRun {
            let requests = try posts.map { try request(for: $0, to: hub, with: Self.pass(of: hub)) }
            return Report(requests: requests, warnings: posts.compactMap { Self.warning(of: $0, at: hub.settings) })
        }
        if test, hub.service.testSends == .none, !yes { try confirm(posts, to: hub) }
        let sent = try await hub.withConnection { try await send(posts, to: $0) }
        return Report(fitting: sent.text, sent.json)
            .failing(with: sent.failure(doing: "cannot send to hub \"\(self.hub)\""))
    }

    /// There is nothing in between at a service without a test.
    private func confirm(_ posts: [Post], to hub: HubClient) throws(Failure) {
        let label = hub.settings.kind.facts.label
        let devices = HumanFormat.count(posts.count, "device")
        try Confirmation.ask(
            "\(label) has no test send: this really goes to \(devices).", what: "cannot test hub \"\(self.hub)\"",
            nothing: "nothing was sent, because \(label) has no test send",
            hint: "--dry-run shows the request and sends nothing; --yes sends it for real.")
    }

    /// What the worker would make of these rows.
    private func plan(for hub: HubSettings) throws -> [Post] {
        let kind = hub.kind.facts
        guard kind.formats.contains(content.format.rawValue) else {
            throw Failure(
                "cannot send to hub \"\(self.hub)\"",
                because: "it is \(kind.label), which takes no content of format \(content.format)",
                hint: "Give \(kind.label)'s own payload, and say --format \(kind.formats.joined(separator: " or ")).",
                status: .badInput)
        }
        let messages = try content.texts().enumerated().map { index, text in
            Message(
                id: Int64(index + 1), lead: 1, target: target.target, locale: text.locale, content: text.json,
                format: content.format.rawValue, headers: content.headersJSON, expiresAt: .infinity)
        }
        let plan = Plan(messages, for: hub, now: Date().timeIntervalSince1970)
        if let refusal = plan.refusals.first {
            throw Failure("cannot send to hub \"\(self.hub)\"", because: refusal.text, status: .badInput)
        }
        return plan.posts
    }

    /// A dry run prints no pass, and so needs none but its first word; where a certificate proves who we are there is none.
    private static func pass(of hub: HubClient) -> Pass {
        let header = hub.service.certificate == nil ? Secret("\(hub.provider.scheme) -") : nil
        return Pass(header: header, number: 0, expiry: 0)
    }

    /// What the service may refuse, though the rules of rows allow it; nil: nothing.
    static func warning(of post: Post, at hub: HubSettings) -> String? {
        guard hub.kind.facts.tag == .topics, post.body.count > Topic.undisputedBytes else { return nil }
        if case .handles = post.target { return nil }
        return "\(post.body.count) bytes to \(post.target.label ?? "everyone"): one of Google's pages allows "
            + "\(Topic.undisputedBytes) to topics, another one \(hub.kind.facts.bodyBytes); keep to the smaller one"
    }

    private func request(for post: Post, to hub: HubClient, with pass: Pass) throws(Failure) -> Request {
        do throws(InvalidPost) {
            return test && hub.service.testSends != .none
                ? try hub.provider.testRequest(for: post, id: 1, with: pass, tracking: HubClient.tracking())
                : try hub.provider.request(for: post, id: 1, with: pass)
        } catch {
            throw Failure("cannot send to hub \"\(self.hub)\"", because: "\(error)", status: .badInput)
        }
    }

    private func send(_ posts: [Post], to hub: HubConnection) async throws -> SendOutcomes {
        var report = SendOutcomes(to: hub.hub.service, isTest: test)
        for post in posts {
            let reply = try await hub.perform { pass throws(Failure) in
                try request(for: post, to: hub.hub, with: pass)
            }
            report.add(post, hub.hub.provider.answer(to: reply), reply)
            // A refusal that is about us would meet the next request as well.
            if report.isHubAway { break }
        }
        report.left = posts.count - report.sent.count
        return report
    }
}

extension Report {
    init(requests: [Request], warnings: [String]) {
        self.init(
            requests.map(\.text).joined(separator: "\n\n"),
            ["requests": .list(requests.map(\.json)), "warnings": .list(warnings.map { .text($0) })])
        let lines = warnings.map { "fanfare: warning: \($0)" }.joined(separator: "\n")
        if !warnings.isEmpty { remarks = (lines, lines) }
    }
}

extension Request {
    fileprivate var text: String {
        let lines = ["\(method.rawValue) \(url)"] + shownHeaders.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\n") + "\n\n" + String(decoding: body, as: UTF8.self)
    }

    fileprivate var json: JSONOutput {
        .object([
            "method": .text(method.rawValue), "url": .text(url), "body": .text(String(decoding: body, as: UTF8.self)),
            "headers": .object(Dictionary(shownHeaders.map { ($0.name, JSONOutput.text($0.value)) }) { $1 }),
        ])
    }
}
