import HubEmulator
import PostgresServer
import PushModel
import Store
import TestSupport
import Testing

/// The log tells what a person on call has to act on.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LoggedTroubleTests {
    @Test func messagesThatEndBadlyAreToldWithTheFirstAndWhy() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        let worker = first
        for fault in try Fault.list(json: Array(#"{"tag":"bad","status":400}"#.utf8)) { try worker.emulator.add(fault) }
        try await worker.enqueue(2)
        try await worker.enqueue(3, tag: "bad")
        let summary = try await worker.drain()
        #expect(summary.rejected == 3)

        let lines = log.fields(of: "messages ended badly")
        #expect(lines.compactMap { $0["rejected"].flatMap(Int.init) }.reduce(0, +) == 3)
        let line = try #require(lines.first)
        #expect(line["hub"] == "news" && line["in_doubt"] == nil)
        #expect(["3", "4", "5"].contains(line["first"] ?? ""))
        #expect(line["why"]?.hasPrefix("bad_request: hub replied 400") == true, "\(line)")
    }

    @Test func messagesInDoubtAreTold() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        let worker = first
        for fault in try Fault.list(json: Array(#"{"next":1,"close":"after-body"}"#.utf8)) {
            try worker.emulator.add(fault)
        }
        try await worker.enqueue(1)
        let summary = try await worker.drain()
        #expect(summary.inDoubt == 1)
        let lines = log.fields(of: "messages ended badly")
        #expect(lines.map { $0["in_doubt"] } == ["1"] && lines.map { $0["first"] } == ["1"])
        #expect(lines.first?["why"]?.hasPrefix("answer_lost: ") == true, "\(lines)")
    }

    /// The table is as full as a disk would make it, for everything but heartbeats.
    @Test func aWorkerThatCannotWriteSaysSoAndWhenItCanAgain() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        first.settings.leaseSeconds = 5
        first.settings.backoff = Backoff(base: 0.05, cap: 0.2)
        let worker = first
        try await worker.test.database.script(
            """
            CREATE TABLE public.disk (is_full boolean);
            INSERT INTO public.disk VALUES (true);
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                IF EXISTS (SELECT FROM public.disk) THEN
                    RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'No space left on device';
                END IF;
                RETURN NEW;
            END$$;
            CREATE TRIGGER refuse BEFORE INSERT ON push.result FOR EACH ROW EXECUTE FUNCTION public.refuse();
            """)
        try await worker.enqueue(5)
        try await worker.whileWorking { progress in
            try await worker.until(
                """
                SELECT count(*) FROM push.workers
                 WHERE trouble LIKE 'cannot write to the database for % s: 53100 No space left%'
                   AND doing LIKE trouble || '; 0 posts recorded%'
                """)
            #expect(progress.trouble != nil)
            #expect(log.fields(of: "the database takes changes again") == [])
            try await worker.test.database.execute("DELETE FROM public.disk")
            try await worker.accepted(5)
            try await worker.until("SELECT count(*) FROM push.workers WHERE trouble IS NULL")
        }
        let lines = log.fields(of: "the database takes changes again")
        #expect(lines.count == 1)
        #expect(lines.first?["why"]?.hasPrefix("53100 No space left on device") == true)
        #expect(lines.first?["after_seconds"].flatMap(Double.init) != nil)
        let failures = log.fields(of: "cannot record results; trying again")
        #expect(failures.first?["error"]?.hasPrefix("53100 No space left on device") == true, "\(failures)")
        #expect(try await worker.lost() == [])
    }

    @Test func aServerThatComesBackIsTold() async throws {
        let log = LogRecorder()
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        var first = try await TestWorker.make(on: test)
        first.log = log.logger
        let worker = first
        try await worker.enqueue(1)
        try await worker.whileWorking { progress in
            try await worker.accepted(1)
            await server.halt(.fast)
            try await Awaited.until("the worker to notice") { (progress.trouble?.words, progress.trouble != nil) }
            try await server.startAgain()
            try await Awaited.until("a line that it is back") {
                let lines = log.fields(of: "the database answers again")
                return (lines, !lines.isEmpty)
            }
            try await Awaited.until("no trouble") { (progress.trouble?.words, progress.trouble == nil) }
        }
        await test.database.close()
        await server.stop()
    }
}
