import ArgumentParser
import CommandLineTool
import Foundation
import Providers
import PushModel
import Store

/// `fanfare tag reach`
struct ReachTags: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "reach", abstract: "Count the devices that a tag expression means, at the hub.",
        discussion: """
            Only the hub knows. Of one tag it lists the registrations that have it; of an expression all are read and tried here. Each \
            device counts once, whatever it has of templates. The hub throttles this hard and is waited for: a large hub takes its \
            time, so the count stops at --limit devices and says so. Needs a key with the right Manage in the settings, and exits \
            77 without it; and a login with push_campaign or push_operator, which keeps the count for fanfare campaign check. A count \
            that does not get to its end replaces none.

            Example: fanfare tag reach '(World || Science) && !muted' --hub news
            """)

    @Argument(help: "The expression: tags joined by || and &&, with ! and parentheses.") var expression: String
    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String

    @Option(help: ArgumentHelp("Devices to look at, at most. Default: 20000.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Look at all devices of the hub.") var exact = false
    @Flag(help: "Show what was counted before, and ask no hub.") var kept = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if let limit { try require("--limit", limit, in: 1...10_000_000) }
        if exact, limit != nil { throw ValidationError("--exact looks at all devices: leave out --limit.") }
        if kept, exact || limit != nil { throw ValidationError("--kept asks no hub: leave out --limit and --exact.") }
    }

    func answer(_ database: Database) async throws -> Report {
        let expression = try TagExpression(written: expression)
        let reach = Reach(database: database)
        if kept {
            guard let entry = try await reach.counted(expression.description, at: hub).first else {
                throw Failure(
                    "cannot show the reach of \(expression)", because: "nobody has counted it at hub \"\(hub)\"",
                    hint: "fanfare tag reach '\(expression)' --hub \(hub)", status: .badInput)
            }
            return Report(reach: entry, isKept: true)
        }
        let entry = try await counted(ReachCount(expression, limit: exact ? nil : limit ?? 20_000))
        do {
            try await reach.keep(entry)
            return Report(reach: entry, isKept: true)
        } catch {
            // What took minutes to count is shown all the same.
            return Report(reach: entry, isKept: false).failing(with: Failure(of: error), always: true)
        }
    }

    /// Page by page.
    private func counted(_ start: ReachCount) async throws -> Reach.Entry {
        let client = try HubClient(hub, of: try options.common.loadSettings())
        let progress = InstallationProgress("devices looked at")
        var count = start
        try await client.withConnection { connection in
            let pages = RegistrationPages(try .patient(connection, to: "count devices"), of: count.onlyTag)
            while let page = try await next(pages, after: count, progress) {
                for registration in page.registrations {
                    guard count.add(registration.device, tags: registration.tags) else { return }
                }
                progress.show(done: count.of, refused: 0, inFlight: 1)
            }
        }
        progress.clear()
        return Reach.Entry(
            hub: hub, expression: count.expression.description, devices: Int64(count.devices), of: Int64(count.of),
            isWhole: !count.isFull, countedAt: HumanFormat.time(secondsSince1970: Date().timeIntervalSince1970))
    }

    private func next(
        _ pages: RegistrationPages, after count: ReachCount, _ progress: InstallationProgress
    ) async throws -> RegistrationPage? {
        do {
            return try await pages.next()
        } catch let fault as RegistrationPages.Fault {
            progress.clear()
            throw fault.failure(of: count, hub: hub)
        }
    }
}

extension RegistrationPages.Fault {
    /// The count is lost and what was kept before stays: half a count would be a wrong one.
    fileprivate func failure(of count: ReachCount, hub: String) -> Failure {
        let doing = "cannot count the devices of hub \"\(hub)\" that \(count.expression) means"
        let sofar =
            count.of == 0
            ? "" : "; \(HumanFormat.grouped(count.devices)) of the first \(HumanFormat.grouped(count.of)) until then"
        switch self {
        case .noPage:
            return Failure(
                doing, because: "the hub's answer is not a whole list, or one registration has more than 64 kB\(sofar)",
                hint: "Nothing was kept, and what was counted before stays: try again.", status: .unavailable)
        case .refused(let answer):
            let failure = answer.failure(doing, hub: hub)
            let (why, hint) = (failure.complaints[0].why, failure.complaints[0].hint)
            guard answer.isWithoutRight else {
                return Failure(doing, because: why + sofar, hint: hint, status: failure.status)
            }
            return Failure(
                doing, because: why,
                hint:
                    "Reading registrations needs a key with the right Manage: name one in hubs.\(hub).connectionString.",
                status: .noPermission)
        }
    }
}

extension InstallationAnswer {
    /// The key is good, and its policy has not the right to read registrations: 401 or 403 with "... claim is required", or 403
    /// with an empty body (docs/wire/notification-hubs.md, "Status codes").
    fileprivate var isWithoutRight: Bool {
        let words = String(decoding: body, as: UTF8.self).lowercased()
        let namesIt = words.contains("claim") && words.contains("required")
        return switch answer.status {
        case 401: namesIt
        case 403: namesIt || words.isEmpty
        default: false
        }
    }
}

extension Report {
    init(reach: Reach.Entry, isKept: Bool) {
        self.init(
            reach.text.onOneLine,
            [
                "hub": .text(reach.hub), "expression": .text(reach.expression), "devices": .number(reach.devices),
                "of": .number(reach.of), "is_whole": .flag(reach.isWhole), "counted_at": .text(reach.countedAt),
                "age": .decimal(reach.age), "by": .text(reach.by), "is_kept": .flag(isKept),
            ])
    }
}

extension Reach.Entry {
    /// `World: 81,214 devices, counted 3 h 2 min ago`
    var text: String {
        KnownReach(expression, devices: devices, of: of, isWhole: isWhole, countedAt: -age).text(asOf: 0)
    }
}
