import ProgramSupport
import Foundation
import Testing

/// Commands that act on many messages, on a worker, or on what is old.
@Suite struct ManyTests {
    /// Messages 1 to 6: 1, 2 failed; 3, 4 belong to run 1 and 2 of campaign spring; 5 is in doubt; 6 is due.
    private func site() async throws -> Site {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content, campaign, run)
            SELECT 'news', 'T' || n, '{}', CASE WHEN n IN (3, 4) THEN 'spring' END, CASE n WHEN 3 THEN '1' WHEN 4 THEN '2' END
              FROM generate_series(1, 6) n;
            DELETE FROM push.due WHERE id IN (1, 2, 5);
            INSERT INTO push.result (id, at, status, reason)
            VALUES (1, now() - interval '3 hours', 'rejected', 'bad_request'), (2, now() - interval '1 minute', 'expired', 'expired'),
                   (5, now(), 'in_doubt', 'worker_lost');
            """)
        return site
    }

    @Test func aCampaignIsCancelledByName() async throws {
        let site = try await site()
        let one = try await site.fanfare("message", "cancel", "--campaign", "spring", "--run", "2", "--json")
        #expect(one.status == 0)
        let document = try one.json([String: Any].self)
        #expect(document["cancelled"] as? Int == 1 && document["too_late"] as? Int == 0)
        #expect(try await site.number("SELECT count(*) FROM push.due") == 2)
        let rest = try await site.fanfare("message", "cancel", "--campaign", "spring")
        #expect(rest.output == "1 message cancelled, none sent before\n")
        let none = try await site.fanfare("message", "cancel", "--campaign", "spring")
        #expect(none.status == 0)
        #expect(none.output == "0 messages cancelled, none was sent in the last 30 days\n")
        #expect(none.errors.isEmpty, "no progress of what takes no time")
    }

    @Test func theMessagesOfAHubThatNobodyServesAreCancelled() async throws {
        let site = try await site()
        let all = try await site.fanfare("message", "cancel", "--hub", "news", "--json").json([String: Any].self)
        #expect(all["cancelled"] as? Int == 3 && all["hub"] as? String == "news" && all["campaign"] is NSNull)
        #expect(try await site.number("SELECT count(*) FROM push.due") == 0)
        #expect(try await site.fanfare("message", "cancel", "--hub", "news").output == "0 messages cancelled\n")
        let nowhere = try await site.fanfare("message", "cancel", "--hub", "nowhere")
        #expect(nowhere.status == 65)
        #expect(nowhere.errors.contains("hub \"nowhere\" is not registered"))
    }

    @Test func failuresAreSentAgainByIdOrByHubReasonAndTime() async throws {
        let site = try await site()
        let late = try await site.fanfare("message", "retry", "--hub", "news", "--since", "1h")
        #expect(late.output == "1 message due again\n")
        #expect(try await site.text("SELECT status FROM push.message_status WHERE id = 2") == "retrying")
        #expect(
            try await site.fanfare("message", "retry", "--hub", "news", "--reason", "too_large").output
                == "0 messages due again\n")
        let named = try await site.fanfare("message", "retry", "1", "6")
        #expect(named.status == 65)
        #expect(named.output.hasPrefix("1 of 2 messages due again\n6 "), "\(named.output)")
        let all = try await site.fanfare("message", "retry", "--hub", "news", "--json").json([String: Any].self)
        #expect(all["retried"] as? Int == 0)
        let nowhere = try await site.fanfare("message", "retry", "--hub", "nowhere")
        #expect(nowhere.status == 65)
        #expect(nowhere.errors.contains("hub \"nowhere\" is not registered"))
        let when = try await site.fanfare("message", "retry", "--hub", "news", "--since", "2027-99-99")
        #expect(when.status == 65)
    }

    @Test func doubtsAreDecidedByReasonAndTime() async throws {
        let site = try await site()
        let all = ["doubt", "resolve", "--all", "--hub", "news", "--decision", "rejected", "--yes"]
        #expect(
            try await site.fanfare.run(all + ["--reason", "answer_lost"]).output
                == "0 of 0 messages decided: rejected\n")
        #expect(try await site.fanfare.run(all + ["--until", "1h"]).output == "0 of 0 messages decided: rejected\n")
        #expect(try await site.fanfare.run(all + ["--since", "1h"]).output == "1 of 1 message decided: rejected\n")
    }

    @Test func aDeadWorkerIsRescuedAndALivingOneIsNot() async throws {
        let site = try await site()
        try await site.execute(
            """
            SELECT push_worker.register_v1('host/1', 'test', 15);
            INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts)
            SELECT 1, w.id, w.epoch, h.id, 1, '{6}', '{0}' FROM push.worker w, push.hub h;
            DELETE FROM push.due WHERE id = 6;
            """)
        let living = try await site.fanfare("rescue", "1")
        #expect(living.status == 65)
        #expect(living.errors.contains("is alive"))
        try await site.execute("UPDATE push.worker SET beat_at = now() - interval '1 minute'")
        let dead = try await site.fanfare("rescue", "1")
        #expect(dead.status == 0)
        #expect(dead.output == "worker 1: 1 message due again, 0 in doubt\n")
        #expect(try await site.fanfare("rescue", "1").status == 65)
    }

    @Test func anEstimateSaysWhyItIsNotKnown() async throws {
        let site = try await site()
        let rows = try await site.fanfare("eta", "--hub", "news", "--json").json([[String: Any]].self)
        #expect(rows.first?["pending"] as? Int == 3)
        #expect(rows.first?["seconds"] is NSNull)
        #expect(rows.first?["why"] as? String == "nothing was sent in the last ten minutes")
        #expect(try await site.fanfare("eta").output.contains("nothing was sent"))
    }

    @Test func purgeSaysWhatItDeletedAndThenThatNothingIsOld() async throws {
        let site = try await site()
        try await site.execute(
            "INSERT INTO push.tally SELECT h.id, now() - g * interval '1 day', 'accepted', 'taken_by_hub', 1 FROM push.hub h, generate_series(1, 60) g"
        )
        let ended = try await site.fanfare("purge", "--older-than", "30d", "--batch", "10")
        #expect(ended.status == 0)
        #expect(ended.output.contains(#/tally +deleted +3[01] /#))
        #expect(try await site.number("SELECT count(*) FROM push.tally") < 31)
        #expect(try await site.fanfare("purge", "--older-than", "30d").output == "nothing is older than 30d\n")
        #expect(try await site.fanfare("purge", "--older-than", "30d", "--json").json([[String: Any]].self).isEmpty)
    }

    @Test(arguments: [
        ["message", "cancel", "1", "--campaign", "x"], ["message", "cancel", "--run", "1"],
        ["message", "cancel", "1", "--hub", "x"], ["message", "cancel", "--campaign", "x", "--hub", "x"],
        ["message", "cancel", "--hub", "x", "--run", "1"], ["message", "erase"], ["message", "erase", "x"],
        ["message", "retry"], ["message", "retry", "1", "--hub", "news"],
        ["message", "retry", "1", "--since", "1h"],
        ["message", "retry", "--hub", "news", "--reason", "mood"],
        ["message", "retry", "--hub", "news", "--since", "soon"],
        ["doubt", "resolve", "1", "--decision", "resend", "--since", "1h"], ["purge"], ["purge", "--older-than", "1h"],
        ["purge", "--older-than", "0d"], ["purge", "--older-than", "30d", "--batch", "0"], ["rescue"],
    ])
    func aWrongCommandLineIsRefusedBeforeAnythingHappens(arguments: [String]) async throws {
        let ended = try await BuiltProgram(settings: nil).run(arguments)
        #expect(ended.status == 64, "\(ended.errors)")
        #expect(ended.errors.contains("hint: fanfare "))
    }
}
