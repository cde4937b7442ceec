import Foundation
import Signing
import Testing
import VectorSupport

@testable import Configuration

/// The accounts of hubs of kind `fcm`.
@Suite struct ServiceAccountSettingsTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private static let place = "(config.json, line 1)"
    private static let remedy =
        "Put the unchanged text of the account's key file here; the Firebase console makes one under Project settings, "
        + "Service accounts."

    @Test func theProjectIsThatOfTheAccountUnlessItIsSet() throws {
        var settings = try fixture.load(SettingsFixture.fcm())
        let hub = try #require(settings.hubs["shop"])
        #expect(hub.settings.kind == .fcm && hub.settings.project == TestAccount.project)
        #expect(hub.serviceAccount == Secret(try TestAccount.text()) && hub.connectionString == nil)
        #expect(settings.warnings.isEmpty)
        #expect(settings.describe().first { $0.key == "hubs.shop.project" }?.source == fixture.file + ", line 1")
        settings = try fixture.load(SettingsFixture.fcm(#""project": "other-1""#), unknownKeys: .warn)
        #expect(settings.hubs["shop"]?.settings.project == "other-1")
    }

    @Test func anAccountOfAnotherProjectIsAWarning() throws {
        let text = try SettingsFixture.fcm(
            #""project": "other-1", "secondaryServiceAccount": \#(SettingsFixture.json(TestAccount.secondary()))"#)
        let settings = try fixture.load(text, unknownKeys: .warn)
        func warning(_ key: String) -> String {
            "hubs.shop.\(key) is of project example-project, and hub shop sends for other-1 \(Self.place): the service "
                + "refuses an account without rights in that project. Use an account of other-1, or correct "
                + "hubs.shop.project."
        }
        #expect(
            settings.warnings.map { $0.description.replacing(fixture.path + "/", with: "") } == [
                warning("serviceAccount"), warning("secondaryServiceAccount"),
            ])
    }

    @Test func withoutAProjectBothAccountsAreOfOne() throws {
        let other = try SettingsFixture.json(TestAccount.secondary(["project_id": "other-1"]))
        #expect(
            try fixture.problems(SettingsFixture.fcm(#""secondaryServiceAccount": \#(other)"#)) == [
                "hubs.shop.secondaryServiceAccount is of project other-1 \(Self.place): serviceAccount is of project "
                    + "example-project. Use an account of that project, or set hubs.shop.project if both may send for one."
            ])
        let same = try SettingsFixture.json(TestAccount.secondary())
        #expect(try fixture.problems(SettingsFixture.fcm(#""secondaryServiceAccount": \#(same)"#)) == [])
    }

    @Test func aKeyCannotTakeOverFromItself() throws {
        for second in [try TestAccount.text(), try TestAccount.text(["client_id": "5"])] {
            let text = try SettingsFixture.fcm(#""secondaryServiceAccount": \#(SettingsFixture.json(second))"#)
            #expect(
                try fixture.problems(text) == [
                    "hubs.shop.secondaryServiceAccount has the key of serviceAccount \(Self.place): a key cannot take over "
                        + "from itself. Make a second key for the account, or leave it out."
                ])
            #expect(try fixture.load(text, unknownKeys: .warn).warnings.count == 1)
        }
    }

    @Test func twoHubsOfOneProjectAreAWarning() throws {
        let text = try """
        {"hubs": {"a": {\(SettingsFixture.fcmEntry())}, "b": {\(SettingsFixture.fcmEntry())},
                  "c": {\(SettingsFixture.fcmEntry(#""endpoint": "https://fcm.example""#))}}}
        """
        #expect(
            try fixture.load(text, unknownKeys: .warn).warnings.map(\.description) == [
                "hubs.b.project is example-project, as at hub a (\(fixture.file), line 1): both use one quota, but "
                    + "each has its own ratePerSecond and slows down alone. Use one hub, or another project."
            ])
    }

    /// An emulator's tokens are not shown to Google, nor Google's to an emulator.
    @Test func anAccountIsOfThePlaceThatTheHubIsAt() throws {
        let emulators: [String: Any?] = ["token_uri": "http://127.0.0.1:8099/token"]
        let local = #""endpoint": "http://127.0.0.1:8099""#
        let ofEmulator = try TestAccount.text(emulators)
        let second = try SettingsFixture.json(TestAccount.secondary(emulators))
        let secondOfEmulator = #""secondaryServiceAccount": \#(second)"#
        func wants(_ key: String) -> String {
            "hubs.shop.\(key) is an emulator's: its token_uri is on 127.0.0.1 \(Self.place): hubs.shop.endpoint is not set, so "
                + "the emulator's tokens would go to Google. Set hubs.shop.endpoint to http://127.0.0.1:8099, or use an "
                + "account that Google made."
        }
        #expect(try fixture.problems(SettingsFixture.fcm(account: ofEmulator)) == [wants("serviceAccount")])
        #expect(try fixture.problems(SettingsFixture.fcm(secondOfEmulator)) == [wants("secondaryServiceAccount")])
        #expect(
            try fixture.problems(SettingsFixture.fcm(local)) == [
                "hubs.shop.serviceAccount is no emulator's: its token_uri is on oauth2.googleapis.com \(Self.place): "
                    + "hubs.shop.endpoint is http://127.0.0.1:8099, so Google's tokens would go to a program on this machine. "
                    + "Use the account that the emulator there has made, or leave hubs.shop.endpoint out."
            ])
        #expect(
            try fixture.problems(SettingsFixture.fcm("\(local), \(secondOfEmulator)", account: ofEmulator)) == [])
        // The endpoint is reported for what it is, and not as missing.
        let wrong = try fixture.problems(SettingsFixture.fcm(#""endpoint": "http://10.0.0.1""#, account: ofEmulator))
        #expect(wrong.count == 1 && wrong[0].contains("endpoint is \"http://10.0.0.1\""), "\(wrong)")
    }

    /// Every account that cannot sign, from each source, with words of its own and without a piece of it.
    @Test(arguments: ["serviceAccount", "secondaryServiceAccount"])
    func anAccountThatCannotSignIsRefusedAndNeverShown(key: String) throws {
        let good = try TestAccount.text()
        var bad: [(String, String)] = [
            ("not json at all \u{FFFD}\u{1F4A3} ключ", "is not JSON"), (String(good.dropLast(200)), "is not JSON"),
            ("/etc/fanfare/shop.json", "is not JSON"), ("[]", "is not a JSON object"),
            (try TestAccount.text(["type": "authorized_user"]), "type is not service_account"),
            (try TestAccount.text(["project_id": nil]), "project_id is missing"),
            (try TestAccount.text(["client_email": ""]), "client_email is empty"),
            (try TestAccount.text(["private_key": 5]), "private_key is not a text"),
            (
                try TestAccount.text(["token_uri": "http://oauth2.googleapis.com/token"]),
                "token_uri begins with http://"
            ),
            (try TestAccount.text(["token_uri": "ftp://x/"]), "token_uri does not begin with https://"),
        ]
        for vector in try Vectors.objects("fcm-apns/account_keys", "refused") {
            bad.append((try TestAccount.text(["private_key": vector["pem"] as? String]), "private_key "))
        }
        #expect(bad.count >= 13)
        for (account, words) in bad {
            var environment = [SettingsSources.environmentName(of: ["hubs", "shop", key]): account]
            var problems = try fixture.problems(SettingsFixture.fcm(), environment: environment)
            #expect(problems.count == 1, "\(words): \(problems)")
            let start = "hubs.shop.\(key) cannot be used (FANFARE_HUBS_SHOP_"
            #expect(problems.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(Self.remedy) }, "\(problems)")
            #expect(problems.allSatisfy { $0.contains("): \(words)") || $0.contains("is not a JSON") }, "\(problems)")
            environment = [:]
            try fixture.write(account + "\n", to: "secrets/hubs-shop-\(key)")
            problems = try fixture.problems(SettingsFixture.fcm(), environment: environment)
            #expect(problems.count == 1 && !"\(problems)".contains(TestAccount.piece), "\(problems)")
            try FileManager.default.removeItem(atPath: fixture.secrets + "/hubs-shop-\(key)")
        }
    }

    @Test func anEmptyAccountInTheFileIsRefused() throws {
        let problems = try fixture.problems(SettingsFixture.fcm(account: ""))
        #expect(problems.count == 1 && problems[0].contains("serviceAccount cannot be used"), "\(problems)")
    }

    @Test func aFileThatIsPastedAsAnObjectIsNamedAndNotShown() throws {
        let problems = try fixture.problems(
            #"{"hubs": {"shop": {"kind": "fcm", "serviceAccount": \#(TestAccount.text())}}}"#)
        #expect(
            problems == [
                "hubs.shop.serviceAccount is an object \(Self.place): must be the text of a service account's JSON key file. "
                    + "Write it as one text in quotes, or set FANFARE_HUBS_SHOP_SERVICE_ACCOUNT, or the credential file "
                    + "hubs-shop-serviceAccount."
            ])
    }

    /// Whatever key it was put under.
    @Test func anAccountInAWrongPlaceIsNotShown() throws {
        let account = try TestAccount.text()
        let members = try JSONSerialization.jsonObject(with: Data(account.utf8)) as? [String: Any]
        let key = try #require(members?["private_key"] as? String)
        for text in [account, key, #"{"private_key": \#(try SettingsFixture.json(key))}"#] {
            let value = try SettingsFixture.json(text)
            for name in HubConfiguration.keys.map(\.name) + ["serviceAcount"] where name != "kind" {
                let problems = try fixture.problems(#"{"hubs": {"shop": {"kind": "fcm", "\#(name)": \#(value)}}}"#)
                #expect(!problems.isEmpty || text == account && name == "serviceAccount", "\(name)")
                #expect(!"\(problems)".contains("MII"), "\(name): \(problems)")
            }
        }
    }

    @Test func aHubWithoutAnAccountIsNamed() throws {
        let text = #"{"hubs": {"shop": {"kind": "fcm", "window": 9}}}"#
        #expect(
            try fixture.problems(text) == [
                "hubs.shop.serviceAccount is not set: every hub of kind fcm needs one. Set "
                    + "FANFARE_HUBS_SHOP_SERVICE_ACCOUNT, or the credential file hubs-shop-serviceAccount."
            ])
        // fanfare migrate up runs where no hub's key is.
        let settings = try fixture.load(text, scope: .registration)
        #expect(settings.hubs["shop"]?.settings.kind == .fcm && settings.hubs["shop"]?.settings.window == 9)
    }

    @Test func anAccountComesFromACredentialFileAsItWasDownloaded() throws {
        try fixture.write("\n" + TestAccount.text() + "\n", to: "secrets/hubs-shop-serviceAccount")
        try fixture.write(TestAccount.secondary(), to: "secrets/hubs-shop-secondaryServiceAccount")
        let settings = try fixture.load(#"{"hubs": {"shop": {"kind": "fcm"}}}"#)
        #expect(settings.hubs["shop"]?.serviceAccount == Secret(try TestAccount.text()))
        #expect(settings.hubs["shop"]?.secondaryServiceAccount == Secret(try TestAccount.secondary()))
    }

    @Test func noWayOfPrintingSettingsShowsAnAccount() throws {
        let second = try SettingsFixture.json(TestAccount.secondary())
        let settings = try fixture.load(
            SettingsFixture.fcm(#""secondaryServiceAccount": \#(second)"#), unknownKeys: .warn)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped, "\(settings.describe())"] {
            #expect(!text.contains(TestAccount.piece) && !text.contains("MII"))
        }
        let rows = settings.describe().filter { $0.key.hasSuffix("erviceAccount") }
        #expect(rows.map(\.value) == ["•••", "•••"])
    }
}
