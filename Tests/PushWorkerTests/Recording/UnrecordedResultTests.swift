import PushModel
import PushWorker
import TestSupport
import Testing

/// A result that the database will never take keeps no other from being recorded.
@Suite(.timeLimit(.minutes(10))) struct UnrecordedResultTests {
    @Test func itIsGivenUpAndEverythingElseIsRecorded() async throws {
        var worker = try await TestWorker.make()
        worker.settings.backoff = Backoff(base: 0.01, cap: 0.05)
        worker.settings.leaseSeconds = 5
        try await worker.test.database.script(
            """
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                IF NEW.id = 77 AND NEW.status = 'accepted' THEN RAISE EXCEPTION USING ERRCODE = '22000', MESSAGE = 'never'; END IF;
                RETURN NEW;
            END$$;
            CREATE TRIGGER refuse BEFORE INSERT ON push.result FOR EACH ROW EXECUTE FUNCTION public.refuse();
            """)
        try await worker.enqueue(200)
        let running = worker
        try await worker.whileWorking { _ in
            try await running.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 199 }
            try await running.until("SELECT count(*) FROM push.audit WHERE action = 'unrecorded'") { $0 == 1 }
            // It may have been sent, so a person decides.
            try await running.until("SELECT count(*) FROM push.result WHERE id = 77 AND status = 'in_doubt'") {
                $0 == 1
            }
            try await running.enqueue(3)
            try await running.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 202 }
        }
        #expect(try await worker.statuses() == "accepted 202, in_doubt 1")
        #expect(
            try await worker.test.texts(
                "SELECT detail ->> 'messages' || (detail ->> 'error' LIKE '%22000 never%') FROM push.audit WHERE action = 'unrecorded'"
            )
                == ["[77]true"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(try await worker.lost() == [])
    }
}
