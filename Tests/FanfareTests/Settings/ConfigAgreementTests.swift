import Foundation
import ProgramSupport
import PushModel
import Testing

/// `fanfare config check` says what `fanfare run` would say.
@Suite(.timeLimit(.minutes(10))) struct ConfigAgreementTests {
    /// Right, odd and wrong values of every kind, each a member of a hub or of the settings.
    private static let hubMembers = [
        #""window": 600"#, #""window": 512"#, #""window": "wide""#, #""wnidow": 3"#, #""languages": {"en": "English"}"#,
        #""languages": {"en": "English", "en-GB": "english"}, "fallback": "en""#,
        #""languages": {"en": "English", "en-GB": "English"}, "localization": "tags""#,
        #""languages": {"en_GB": "British"}"#, #""languages": {"fr": "French"}, "fallback": "en""#,
        #""settleMilliseconds": 60000, "expireAfterSeconds": 60"#,
        #""settleMilliseconds": 59999, "expireAfterSeconds": 60"#,
        #""secondaryConnectionString": "\#(Site.connection)""#, #""secondaryConnectionString": "Endpoint=sb://x""#,
        #""kind": "fcm""#, #""kind": "fcm", "tags": "topics", "serviceAccount": ACCOUNT"#, #""kind": "apns""#,
        #""serviceAccount": ACCOUNT"#, #""rampSeconds": 60"#,
        #""hub": "a b""#, #""fallback": null"#, #""onDoubt": "resend""#, #""propertyPattern": "{property}""#,
    ]
    private static let members = [
        #""dispatch": {"slots": 1}"#, #""dispatch": {"slots": 0, "batch": 5}"#, #""dispatch": {"btach": 5}"#,
        #""console": {"listen": "127.0.0.1:9,127.0.0.1:9"}"#, #""console": {"metrics": "0.0.0.0:9465"}"#,
        #""console": {"listen": "[::1]:9464", "metrics": "[::1]:9464"}"#, #""log": {"level": "loud"}"#,
        #""transport": {"caFile": "/none"}"#, #""caps": {"rememberDays": 400}"#, #""caps": {"rememberDays": 4}"#,
        #""console": {"pages": "127.0.0.1:9470"}"#, #""console": {"users": {"ana": {"may": "look", "password": "x"}}}"#,
        #""console": {"pages": "127.0.0.1:9464", "userHeader": "X-User", "users": {"ana": {}, "Ana": {}, "schedule": {}}}"#,
        #""console": {"pages": "[::]:9470", "proxies": "::1", "userHeader": "X-User", "users": {"a-b": {}, "a_b": {}}}"#,
        #""hbus": {}"#, #""log": {"level": "info"}, "log": {}"#,
    ]

    private static func settings(
        _ random: inout some RandomNumberGenerator, url: String, account: String
    ) -> String {
        let names = [["news"], ["news", "a_b", "a-b"], [], ["News"]].randomElement(using: &random) ?? []
        let hubs = names.map { name in
            var own = hubMembers.shuffled(using: &random).prefix([0, 0, 0, 1, 2].randomElement(using: &random) ?? 0)
            if Int.random(in: 0..<8, using: &random) > 0 { own += [#""connectionString": "\#(Site.connection)""#] }
            return "\"\(name)\": {\(own.joined(separator: ", ").replacing("ACCOUNT", with: account))}"
        }
        var all = [#""database": {"url": "\#(url)"}"#]
        if Int.random(in: 0..<10, using: &random) > 0 { all.append("\"hubs\": {\(hubs.joined(separator: ", "))}") }
        all += members.shuffled(using: &random).prefix(Int.random(in: 0...1, using: &random))
        return "{\(all.joined(separator: ", "))}"
    }

    @Test func checkAndRunSayTheSameOf200Settings() async throws {
        // Without the schema `run` ends also where the settings are right.
        let site = try await Site.make(migrated: false)
        var random = SeededRandom(seed: 35)
        let account = try Site.accountInJSON()
        let all = (0..<200).map { _ in Self.settings(&random, url: site.url, account: account) }
        var refused = 0
        var odd = 0
        try await withThrowingTaskGroup(of: (Int32, Bool).self) { group in
            for (number, text) in all.enumerated() {
                if number >= 4, let (status, isOdd) = try await group.next() {
                    refused += status == 78 ? 1 : 0
                    odd += isOdd ? 1 : 0
                }
                group.addTask { try await Self.compare(text, "\(number).json", site) }
            }
            for try await (status, isOdd) in group {
                refused += status == 78 ? 1 : 0
                odd += isOdd ? 1 : 0
            }
        }
        #expect((20..<190).contains(refused) && odd > 10, "the generator makes good and bad ones: \(refused), \(odd)")
    }

    /// - Returns: the status of the check, and whether it warned.
    private static func compare(_ text: String, _ name: String, _ site: Site) async throws -> (Int32, Bool) {
        let fanfare = BuiltProgram(settings: try site.scratch.write(text, to: name), scratch: site.scratch)
        let check = try await fanfare("config", "check", "--json")
        let document = try check.json([String: Any].self)
        let run = try await fanfare("run", "--log-format", "json")
        #expect(run.status == 78)
        let problems = Set(
            try said("problems", in: document) { key, found, rule, _ in "fanfare: \(key): \(found): \(rule)" })
        let warnings = Set(try said("warnings", in: document) { "\($0) \($1): \($2). \($3)." })
        let lines = run.errors.split(separator: "\n").map(String.init)
        let refusals = Set(lines.filter { $0.hasPrefix("fanfare: ") && !$0.contains("run `fanfare migrate up`") })
        #expect(refusals == problems, "\(text)\n\(run.errors)")
        #expect(run.errors.contains("run `fanfare migrate up`") == problems.isEmpty, "\(text)\n\(run.errors)")
        // Settings that are refused are not read to their end.
        if problems.isEmpty { #expect(Set(try logged(lines)) == warnings, "\(text)\n\(run.errors)") }
        #expect(check.status == (problems.isEmpty && warnings.isEmpty ? 0 : 78))
        return (check.status, !warnings.isEmpty)
    }

    private static func said(
        _ list: String, in check: [String: Any],
        _ line: (_ key: String, _ found: String, _ rule: String, _ remedy: String) -> String
    ) throws -> [String] {
        try #require(check[list] as? [[String: String]]).map { problem in
            line(problem["key"] ?? "", problem["found"] ?? "", problem["rule"] ?? "", problem["remedy"] ?? "")
        }
    }

    /// What the log warns of the settings.
    private static func logged(_ lines: [String]) throws -> [String] {
        try lines.filter { $0.contains(#""logger":"fanfare.settings""#) }.map { line in
            let log = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(log?["msg"] as? String)
        }
    }

    /// Settings with which nothing, or less than it seems, can be sent.
    @Test(arguments: [
        ("{}", "hubs: names no hub"), (#"{"hubs": {}}"#, "hubs: names no hub"),
        (
            #"{"hubs": {"news": {CONNECTION, "languages": {"en": "English", "en-GB": "English"}, "fallback": "en"}}}"#,
            "hubs.news.languages.en-GB: is \"English\", the word of en"
        ),
        (
            #"{"hubs": {"news": {CONNECTION, "secondaryConnectionString": "KEY"}}}"#,
            "hubs.news.secondaryConnectionString (warning): is the key of connectionString"
        ),
        (
            #"{"hubs": {"news": {CONNECTION, "settleMilliseconds": 5000, "expireAfterSeconds": 5}}}"#,
            "hubs.news.settleMilliseconds: is 5000"
        ),
        (
            #"{"hubs": {"news": {CONNECTION}}, "console": {"listen": "127.0.0.1:9464,127.0.0.1:9464"}}"#,
            "console.listen: has 127.0.0.1:9464 twice"
        ),
    ])
    func impossibleSettingsDoNotPass(settings: String, words: String) async throws {
        let site = try Site(url: "postgresql://localhost/x")
        let text = settings.replacing("CONNECTION", with: #""connectionString": "\#(Site.connection)""#)
            .replacing("KEY", with: Site.connection)
        try site.scratch.write(text, to: "config.json")
        let check = try await site.fanfare("config", "check")
        #expect(check.status == 78)
        #expect(check.errors.contains("fanfare: \(words)"), "\(check.errors)")
    }
}
