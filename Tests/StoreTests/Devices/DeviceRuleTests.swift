import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing
import VectorSupport

/// `push.put_device` and `push.patch_device` check by the rules of `InstallationDocument`, and name column and rule.
/// (ProvidersTests reads the same cases.)
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceRuleTests {
    private struct Case {
        let id: String
        let arguments: [String: Any]
        let refused: [String: String]?

        /// The call, with the arguments by name.
        func call(_ function: String, defaults: [String: Any], lists: [String]) throws -> String {
            var given = defaults.merging(arguments) { $1 }
            for name in ["id", "refused", "only"] { given[name] = nil }
            if let text = given.removeValue(forKey: "templates_text") { given["templates"] = text }
            let list = try given.sorted { $0.key < $1.key }.map { name, value in
                let text =
                    if value is NSNull {
                        "NULL"
                    } else if lists.contains(name) {
                        literal(Self.array(value))
                    } else if let text = value as? String, name != "templates" || arguments["templates_text"] != nil {
                        literal(text)
                    } else {
                        literal(try Self.json(value))
                    }
                return "\(name) => \(text)"
            }
            return "SELECT push.\(function)(\(list.joined(separator: ", ")))"
        }

        static func json(_ value: Any) throws -> String {
            let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
            return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
        }

        private static func array(_ value: Any) -> String {
            switch value {
            case let list as [Any]: "{\(list.map(array).joined(separator: ","))}"
            case let text as String:
                "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
            default: "NULL"
            }
        }

        private func literal(_ text: String) -> String {
            "E'\(text.replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
        }
    }

    private static func cases(_ kind: String) throws -> [Case] {
        try Vectors.objects("devices", kind).map { item in
            Case(
                id: try #require(item["id"] as? String), arguments: item,
                refused: item["refused"] as? [String: String])
        }
    }

    private func expect(_ item: Case, _ call: String, _ database: Database) async throws {
        var refusal: DatabaseError?
        do throws(DatabaseError) {
            try await database.script(call)
        } catch {
            refusal = error
        }
        guard let refused = item.refused else {
            #expect(refusal == nil, "\(item.id): \(refusal?.description ?? "")")
            return
        }
        let error = try #require(refusal, "\(item.id) is taken")
        #expect(error.sqlState == "23514", "\(item.id): \(error)")
        #expect(error.column == refused["column"], "\(item.id): \(error)")
        #expect(error.constraint == refused["rule"], "\(item.id): \(error)")
        #expect(error.message.contains(refused["says"] ?? "?"), "\(item.id): \(error.message)")
        #expect(error.hint?.isEmpty == false, "\(item.id)")
        #expect(error.message.utf8.count < 400, "\(item.id): \(error.message)")
        if let handle = item.arguments["handle"] as? String, handle.count > 8 {
            #expect(!"\(error) \(error.detail ?? "")".contains(handle), "\(item.id)")
        }
    }

    @Test func everySharedPutIsTakenOrRefusedByItsRule() async throws {
        let store = try await StoreFixture.make()
        let cases = try Self.cases("puts")
        #expect(cases.count > 300)
        let defaults = ["hub": "news", "device": "phone-17", "platform": "apns", "handle": "00FC13AD"]
        for item in cases {
            try await expect(item, item.call("put_device", defaults: defaults, lists: ["tags"]), store.database)
        }
        let taken = cases.filter { $0.refused == nil }
        let kept = try await store.test.texts("SELECT document FROM push.installation_change ORDER BY id")
        #expect(kept.count == taken.count)
        for (item, document) in zip(taken, kept) {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(document.utf8)) as? NSDictionary, "\(item.id)")
            #expect(object["handle"] as? String == item.arguments["handle"] as? String ?? "00FC13AD", "\(item.id)")
            #expect(object["user_id"] as? String == item.arguments["user_id"] as? String, "\(item.id)")
            #expect(object["tags"] as? [String] == item.arguments["tags"] as? [String] ?? [], "\(item.id)")
            if let templates = item.arguments["templates"] as? NSDictionary {
                #expect(object["templates"] as? NSDictionary == templates, "\(item.id)")
            }
            #expect(throws: Never.self, "\(item.id)") { try DeviceRegistration(json: document) }
        }
    }

    @Test func everySharedPatchIsTakenOrRefusedByItsRule() async throws {
        let store = try await StoreFixture.make()
        let cases = try Self.cases("patches")
        #expect(cases.count > 40)
        for item in cases {
            let call = try item.call(
                "patch_device", defaults: ["hub": "news", "device": "phone-17"], lists: ["add_tags", "remove_tags"])
            try await expect(item, call, store.database)
        }
        for document in try await store.test.texts("SELECT document FROM push.installation_change") {
            #expect(throws: Never.self) { try DevicePatch(json: document) }
        }
        #expect(try await store.count("installation_change") == Int64(cases.count { $0.refused == nil }))
    }

    /// In a session of its own, which compiles the functions under this setting.
    @Test(arguments: [
        "standard_conforming_strings = off", "array_nulls = off", "xmloption = 'document'",
        "transform_null_equals = on",
        "plpgsql.extra_errors = 'all'", "search_path = pg_temp, public", "plan_cache_mode = 'force_custom_plan'",
        "default_transaction_isolation = 'serializable'", "enable_indexscan = off",
    ]) func noSettingOfABackendChangesTheRules(_ setting: String) async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: "push_register")
        let session = Database(DatabaseSettings(url: login.conninfo, maximumConnections: 1))
        try await session.script("SET \(setting)")
        let defaults = ["hub": "news", "device": "phone-17", "platform": "apns", "handle": "00FC13AD"]
        // Without array_nulls, NULL in an array is a text.
        for item in try Self.cases("puts") where item.id != "tag-null" || !setting.hasPrefix("array_nulls") {
            try await expect(item, item.call("put_device", defaults: defaults, lists: ["tags"]), session)
        }
        await session.close()
        await login.database.close()
    }

    /// JSON and plain text for a Windows phone are refused by the call as on other servers. What begins and ends as XML is taken;
    /// a worker refuses it later if it is none (ProvidersTests).
    @Test func aServerWithoutXMLRefusesWhatDoesNotLookLikeIt() async throws {
        let store = try await StoreFixture.make()
        // As a server answers that was built without libxml.
        try await store.database.script(
            """
            SET allow_system_table_mods = on;
            ALTER FUNCTION pg_catalog.xml_is_well_formed_document(text) RENAME TO is_document_with_libxml;
            CREATE FUNCTION pg_catalog.xml_is_well_formed_document(text) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                RAISE feature_not_supported USING MESSAGE = 'unsupported XML feature';
            END $$;
            RESET allow_system_table_mods;
            """)
        let defaults = ["hub": "news", "device": "phone-17", "platform": "apns", "handle": "00FC13AD"]
        let bodies = try Self.cases("puts").filter {
            $0.id.hasPrefix("wns-") && ($0.refused == nil || $0.refused?["column"] == "templates")
        }
        var refused: Set<String> = []
        for item in bodies {
            let call = try item.call("put_device", defaults: defaults, lists: ["tags"])
            do throws(DatabaseError) {
                try await store.database.script(call)
            } catch {
                #expect(error.constraint == "templates_are_templates", "\(item.id): \(error)")
                refused.insert(item.id)
            }
        }
        #expect(bodies.count { $0.refused != nil } > 15)
        #expect(
            refused == [
                "wns-no-xml-json", "wns-no-xml-text", "wns-no-xml-text-behind", "wns-document-type", "wns-json-body",
            ])
    }

    @Test func templatesHaveAtMost64KB() async throws {
        let store = try await StoreFixture.make()
        func call(_ bytes: Int, _ type: String) -> String {
            let frame = #"{"news": {"body": "\"\""}}"#.utf8.count
            return """
                SELECT push.put_device('news', 'phone', 'apns', '00', templates =>
                    ('{"news": {"body": "\\"' || repeat('x', \(bytes - frame)) || '\\""}}')::\(type))
                """
        }
        for type in ["text", "json", "jsonb"] {
            try await store.database.script(call(65_536, type))
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.script(call(65_537, type))
            }
            #expect(error?.constraint == "templates_are_templates")
            #expect(error?.message == "push.put_device: templates has 65537 bytes, 65,536 are allowed")
        }
        // What is much too long is not even read.
        for junk in ["repeat('[', 5000000)", "repeat('x', 50000000)"] {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.script(
                    "SELECT push.put_device('news', 'phone', 'apns', '00', templates => \(junk))")
            }
            #expect(error?.message.contains("65,536 are allowed") == true)
        }
    }
}
