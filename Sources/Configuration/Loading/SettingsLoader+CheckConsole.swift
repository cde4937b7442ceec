import Foundation
import PushModel
import Signing

extension SettingsLoader {
    /// The pages are for somebody, and no password crosses a network unencrypted.
    mutating func checkPages(badFileKeys: Set<String>) {
        let console = settings.console
        if let header = console.userHeader, console.proxies.isEmpty, isNotGiven(Self.proxies, badFileKeys: badFileKeys)
        {
            report(
                "console.userHeader", "is \(header)", "anybody can send it unless it comes from console.proxies alone",
                "Set console.proxies to the addresses of the proxies that set it, or leave it out")
        }
        guard let pages = console.pages else { return }
        if console.userHeader != nil, let own = console.proxies.first(where: Self.hasLoopback) {
            warn(
                Self.proxies, "has \(own), where every login of this machine comes from",
                "each of them could name anybody in console.userHeader",
                "Let the proxy come from another address, or leave console.userHeader out where others have a login here"
            )
        }
        for (key, addresses) in [("console.listen", console.listen), ("console.metrics", console.metrics)] {
            guard let other = addresses.first(where: { $0.port == pages.port && $0.port != 0 }) else { continue }
            report(
                "console.pages", "is \(pages)", "\(key) has that port (\(other)), and a port serves one of them",
                "Choose another port, such as \(pages.port == 9470 ? 9471 : 9470)")
        }
        if !pages.isLoopback, console.proxies.isEmpty, isNotGiven(Self.proxies, badFileKeys: badFileKeys) {
            report(
                "console.pages", "is \(pages), which other machines can reach",
                "passwords would cross the network unencrypted: TLS is the work of a proxy in front",
                "Set console.proxies to the address of that proxy, or listen on 127.0.0.1")
        }
        checkEntrance(of: pages, badFileKeys: badFileKeys)
    }

    /// Whether an address of this machine alone (127.0.0.0/8, ::1) is one of these.
    private static func hasLoopback(_ range: AddressRange) -> Bool {
        let first = IPAddress(range.description.prefix { $0 != "/" })
        return first?.isLoopback == true || range.contains("127.0.0.1") || range.contains("::1")
    }

    private mutating func checkEntrance(of pages: ListenAddress, badFileKeys: Set<String>) {
        let users = settings.console.users
        if settings.console.userHeader != nil || !isNotGiven("console.userHeader", badFileKeys: badFileKeys) {
            if users.isEmpty, !badFileKeys.contains(Self.users) {
                warn(
                    Self.users, "names nobody", "people whom console.userHeader names have no rights without an entry",
                    "Set console.users.NAME.may")
            }
        } else if !badFileKeys.contains(where: { $0 == Self.users || Self.isPassword($0) }),
            !users.keys.contains(where: { origins[Self.password(of: $0)] != nil })
        {
            report(
                Self.users, "names nobody who could sign in", "console.pages is \(pages), and nobody enters unnamed",
                "Run fanfare console password, set console.users.NAME.password to what it prints, and console.users.NAME.may "
                    + "to \(PersonRight.look.rawValue) or more")
        } else {
            for name in users.keys.sorted() where isNotGiven(Self.password(of: name), badFileKeys: badFileKeys) {
                warn(
                    Self.password(of: name), Self.notSet, "\(name) cannot sign in without it",
                    "Set it to what fanfare console password prints, or remove console.users.\(name)")
            }
        }
        for name in users.keys.sorted() where isNotGiven("\(Self.users).\(name).may", badFileKeys: badFileKeys) {
            warn(
                "\(Self.users).\(name).may", Self.notSet, "\(name) sees no page without a right",
                "Set it to one or more of \(PersonRight.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }

    /// Passwords can be compared, and each name means one person.
    mutating func checkPeople(badFileKeys: Set<String>) {
        let users = settings.console.users.sorted { $0.key < $1.key }
        for (name, user) in users where user.password != nil && user.passwordHash == nil {
            report(
                Self.password(of: name), "is no hash that can be used", "must be \(ConsoleUser.passwordRule)",
                "Run fanfare console password. A shell and Docker Compose replace what follows a $: write the text in single "
                    + "quotes there, or $$ for each $")
        }
        // As push_internal.may_be_one has it: such names count as one person in an approval by two.
        let same = Dictionary(grouping: users.map(\.key), by: Self.person)
        for names in same.values.sorted(by: { $0[0] < $1[0] }) {
            for name in names.dropFirst() {
                report(
                    "\(Self.users).\(name)", "is the same person as \(names[0])", "names of people ignore case",
                    "Remove one, or choose another name")
            }
        }
        let variables = Dictionary(grouping: users.map(\.key)) {
            SettingsSources.environmentName(of: ["console", "users", $0])
        }
        for (variable, names) in variables.sorted(by: { $0.key < $1.key }) where Set(names.map(Self.person)).count > 1 {
            warnings.append(
                SettingsProblem(
                    key: Self.users, found: "has \(names.joined(separator: " and "))",
                    rule: "they share the variables \(variable)_…, and perhaps a credential file",
                    remedy: "Rename one to set them apart"))
        }
    }

    /// What the names of one person have in common.
    private static func person(_ name: String) -> String {
        name.precomposedStringWithCompatibilityMapping.lowercased()
    }

    static let users = "console.users"
    private static let proxies = "console.proxies"

    private static func password(of name: String) -> String { "\(users).\(name).password" }

    /// Whether a dotted key is the password of a person.
    static func isPassword(_ key: String) -> Bool { key.hasPrefix("\(users).") && key.hasSuffix(".password") }
}
