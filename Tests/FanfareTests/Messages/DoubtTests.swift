import ProgramSupport
import Testing

@Suite struct DoubtTests {
    /// A site with three messages in doubt.
    private func site() async throws -> Site {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 'T' || n, '{}' FROM generate_series(1, 3) n;
            DELETE FROM push.due;
            INSERT INTO push.result (id, status, reason) SELECT id, 'in_doubt', 'answer_lost' FROM push.message;
            """)
        return site
    }

    @Test func listsWhatIsInDoubt() async throws {
        let site = try await site()
        let rows = try await site.fanfare("doubt", "list", "--json", "--hub", "news").json([[String: Any]].self)
        #expect(rows.map { $0["tag"] as? String } == ["T1", "T2", "T3"])
        #expect(rows[0]["reason"] as? String == "answer_lost")
        #expect(try await site.fanfare("doubt", "list").output.contains("answer_lost"))
        #expect(try await site.fanfare("doubt", "list", "--run", "k").status == 64)
        let unknown = try await site.fanfare("doubt", "list", "--campaign", "spring")
        #expect(unknown.status == 65 && unknown.errors.contains("there is no campaign \"spring\""))
        #expect(try await site.fanfare("status").output.contains("3 messages in doubt: fanfare doubt list"))
    }

    @Test func decidesTheOnesThatAreNamed() async throws {
        let site = try await site()
        let ended = try await site.fanfare("doubt", "resolve", "1", "2", "--decision", "resend")
        #expect(ended.status == 0)
        #expect(ended.output == "2 of 2 messages decided: resend\n")
        #expect(try await site.number("SELECT count(*) FROM push.due") == 2)
        let again = try await site.fanfare("doubt", "resolve", "1", "3", "--decision", "accepted", "--json")
        #expect(again.status == 65)
        #expect(try again.json([String: Any].self)["decided"] as? Int == 1)
    }

    @Test func decidesAWholeHubOnlyWhenConfirmed() async throws {
        let site = try await site()
        let all = ["doubt", "resolve", "--all", "--hub", "news", "--decision", "rejected"]
        #expect(try await site.fanfare.run(all).status == 64)
        #expect(try await site.number("SELECT count(*) FROM push.in_doubt") == 3)
        let ended = try await site.fanfare.run(all + ["--yes"])
        #expect(ended.status == 0)
        #expect(ended.output == "3 of 3 messages decided: rejected\n")
        #expect(try await site.fanfare.run(all + ["--yes"]).output == "0 of 0 messages decided: rejected\n")
    }

    @Test func decidesAWholeRunOnlyWhenConfirmed() async throws {
        let site = try await site()
        try await site.execute(#"SELECT push.run_campaign('spring', 'k1', 'news', '{A}', '{"en": {"a": "b"}}')"#)
        let all = ["doubt", "resolve", "--all", "--campaign", "spring", "--decision", "accepted"]
        let unsure = try await site.fanfare.run(all)
        #expect(unsure.status == 64 && unsure.errors.contains("of a run of campaign \"spring\": confirm it with --yes"))
        let ended = try await site.fanfare.run(all + ["--yes"])
        #expect(ended.output == "campaign spring, run k1: 0 messages decided\n", "\(ended)")
        #expect(try await site.fanfare.run(all + ["--yes", "--run", "k2"]).status == 65)
        #expect(try await site.number("SELECT count(*) FROM push.in_doubt") == 3, "those of nobody's campaign stay")
    }

    @Test func whatWasNotDecidedOrSentAgainSaysWhy() async throws {
        let site = try await site()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 'T' || n, '{"m": "x"}' FROM generate_series(4, 8) n;
            DELETE FROM push.due WHERE id IN (4, 5, 6, 7);
            INSERT INTO push.result (id, status, reason)
            VALUES (4, 'accepted', 'taken_by_hub'), (5, 'rejected', 'bad_request'), (6, 'cancelled', 'cancelled_by_caller'),
                   (7, 'rejected', 'late_translation');
            """)
        let retried = try await site.fanfare("message", "retry", "3", "4", "5", "6", "7", "8", "99")
        #expect(retried.status == 65)
        #expect(
            retried.output == """
                1 of 7 messages due again
                3 in_doubt: it may have been sent; decide it: fanfare doubt resolve
                4 accepted: the hub took it
                6 cancelled: it was cancelled, and is not sent again
                7 rejected: its content was sent without it
                8 due: it has not failed: it is on its way
                99 unknown: no message has this id\n
                """)
        let decided = try await site.fanfare(
            "doubt", "resolve", "1", "4", "7", "8", "99", "--decision", "rejected", "--json")
        #expect(decided.status == 65)
        let left = try decided.json([String: Any].self)["not_decided"] as? [[String: Any]]
        #expect(left?.map { $0["id"] as? Int } == [4, 7, 8, 99])
        #expect(left?.map { $0["status"] as? String } == ["accepted", "rejected", "due", "unknown"])
        #expect(left?.first?["why"] as? String == "it was decided, or its answer came")
    }
}
