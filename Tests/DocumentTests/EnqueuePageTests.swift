import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/enqueue.md: every statement runs as the login that the page names, and does what the page says.
@Suite struct EnqueuePageTests {
    /// All statements in their order, then a worker.
    @Test func everyStatementRunsAsTheLoginItIsFor() async throws {
        let shop = try await Shop.open()
        let blocks = shop.page.blocks
        for (index, block) in blocks.enumerated() {
            switch block.info {
            case "sql owner":
                // Shop.open has run the first two.
                if !block.text.hasPrefix("CREATE ROLE") && !block.text.hasPrefix("CREATE TABLE") {
                    try await shop.expect(shop.psql(shop.own(block.text)), block)
                }
            case "sql login", "sql login copy":
                try await shop.expect(shop.psql(block.text, as: shop.login), block)
            case "sql refused":
                let ended = try await shop.psql(block.text, as: shop.login)
                #expect(ended.status != 0, "\(block) was taken")
                let printed = ended.errors.split(separator: "\n")
                    .map { $0.replacing(#/^psql:<stdin>:\d+: /#, with: "") }
                    .filter { $0.hasPrefix("ERROR:") || $0.hasPrefix("HINT:") }
                #expect(printed.joined(separator: "\n") == blocks[index + 1].text, "\(block)")
            case "sql monitor":
                try await shop.expect(shop.psql(block.text, as: shop.monitor), block)
            default:
                // An excerpt of a program runs with its program.
                #expect(block.language != "sql" || block.info.contains("/"), "\(block): no login runs it")
            }
        }
        try await shop.worker.drain()

        let test = shop.worker.test
        #expect(try await shop.worker.lost() == [])
        #expect(
            try await test.texts("SELECT DISTINCT status::text FROM push.message_status ORDER BY 1")
                == ["accepted", "cancelled", "scheduled"])
        // Rows of one content share one post, no matter whether one statement or two inserted them.
        for content in [
            "locale IS NOT NULL AND content_key IS NULL AND content ->> 'body' IS NOT NULL",
            "content_key = 'article-17'",
        ] {
            let posts = try await test.texts(
                """
                SELECT count(*) || ' in ' || count(DISTINCT s.post) FROM push.message m JOIN push.message_status s USING (id)
                 WHERE \(raw: content.replacing("content", with: "m.content").replacing("locale", with: "m.locale"))
                """)
            #expect(posts == ["3 in 1"] || posts == ["2 in 1"], "\(content): \(posts)")
        }
        #expect(
            try await test.number("SELECT count(*) FROM push.message WHERE content ->> 'message' IN ('one', 'two')")
                == 4)
    }

    @Test func theTriggerEnqueuesOnceAndOnlyForCommittedOrders() async throws {
        let shop = try await Shop.open()
        let trigger = try #require(shop.page.blocks("sql").first { $0.text.contains("CREATE TRIGGER") })
        try await shop.expect(shop.psql(trigger.text), trigger)
        let script = """
            INSERT INTO orders (customer, total) VALUES (42, 19.9), (43, 5);
            UPDATE orders SET shipped_at = now() WHERE customer = 42;
            UPDATE orders SET shipped_at = now() WHERE customer = 42;
            BEGIN; UPDATE orders SET shipped_at = now() WHERE customer = 43; ROLLBACK;
            """
        #expect(try await shop.psql(script, as: shop.login).status == 0)
        let messages = try await shop.worker.test.texts("SELECT tag || ' ' || dedupe_key FROM push.message")
        #expect(messages == ["customer-42 order-1-on-its-way"])
    }

    /// What the page says of `executemany`, with psycopg.
    @Test(.enabled(if: Tool.psycopg.isExpected, Tool.advice))
    func translationsOfAnExecutemanyNeedAContentKey() async throws {
        let shop = try await Shop.open()
        let program = """
            import psycopg
            insert = "INSERT INTO push.message (hub, tag, locale, content, content_key) VALUES ('news', 'World', %s, %s, %s)"
            with psycopg.connect(autocommit=True) as db:
                for key in (None, "story-1"):
                    try:
                        with db.transaction():
                            db.cursor().executemany(insert, [("en", '{"title": "Peace"}', key), ("fr", '{"title": "Paix"}', key)])
                        print(key, "taken")
                    except psycopg.Error as error:
                        print(key, error.sqlstate, "fallback language" in str(error))
            """
        let ended = try await Tool.psycopg(["-c", program], environment: shop.environment(user: shop.login))
        #expect(ended.output == "None 23514 True\nstory-1 taken\n", "\(ended)")
        try await shop.worker.drain()
        #expect(try await shop.worker.statuses() == "accepted 2")
        #expect(shop.worker.taken.count == 1)
    }

    /// The statement that PostgREST makes of the request on the page (as its issue 1335 shows): one transaction with the
    /// role of the request. PostgREST itself is in no registry that a build can reach.
    @Test func theCallOverHTTPIsACallOfTheFunction() async throws {
        let shop = try await Shop.open()
        let curl = try #require(shop.page.blocks("sh").first { $0.text.contains("/rpc/enqueue_many") })
        let body = try #require(curl.text.firstMatch(of: /-d '(.+)'/)?.1)
        let names = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]).keys.sorted()
        let types = ["messages": "json"]
        let call = names.map { "\"\($0)\" := pgrst_args.\"\($0)\"" }.joined(separator: ", ")
        let columns = try names.map { "\"\($0)\" \(try #require(types[$0]))" }.joined(separator: ", ")
        let script = """
            BEGIN;
            SET LOCAL ROLE "\(shop.login)";
            WITH pgrst_source AS (
                SELECT pgrst_call.* FROM (SELECT '\(body)'::json AS json_data) pgrst_payload,
                LATERAL (SELECT * FROM json_to_record(pgrst_payload.json_data) AS _(\(columns))) pgrst_args,
                LATERAL "push"."enqueue_many"(\(call)) pgrst_call)
            SELECT coalesce(json_agg(_postgrest_t), '[]') FROM pgrst_source _postgrest_t;
            COMMIT;
            """
        let ended = try await shop.psql(script)
        #expect(ended.output.contains(#"[{"n":1,"id":1,"inserted":true,"send_at":""#), "\(ended)")
        #expect(try await shop.worker.test.texts("SELECT dedupe_key FROM push.message") == ["hello-1"])
    }
}
