import Postgres
import Store
import TestSupport
import Testing

/// Four eyes where people share the login of a console: the persons count that it names, and nobody else's word.
@Suite(.timeLimit(.minutes(10))) struct ConsoleApprovalTests {
    /// A database with a console; each campaign has one revision, which asks for two.
    struct Desk {
        let test: TestDatabase
        let console: Console

        static func make() async throws -> Desk {
            let test = try await TestDatabase.make()
            _ = try await Hubs(database: test.database).register(TestWorker.news)
            return Desk(test: test, console: try await Console.make(on: test))
        }

        static func making(_ campaign: String) -> SQL {
            #"""
            SELECT push.create_campaign(\#(campaign), '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
                "approval": "two"}')::text
            """#
        }

        static func approving(_ campaign: String) -> SQL {
            "SELECT push.approve(a.campaign, a.revision, a.hash)::text FROM push.approvals a WHERE a.campaign = \(campaign)"
        }

        func make(_ campaign: String, by person: String?) async throws {
            try await console.act(person, as: "campaign", Self.making(campaign))
        }

        /// - Returns: why it was refused; nil: it was approved.
        func approve(
            _ campaign: String, by person: String?, with other: Console? = nil
        ) async throws -> DatabaseError? {
            do {
                let done = try await (other ?? console).act(person, as: "approve", Self.approving(campaign))
                #expect(done == ["true"])
                return nil
            } catch let error as DatabaseError {
                return error
            }
        }

        /// What is sent, and why.
        func standing(_ campaign: String) async throws -> [String] {
            try await test.texts(
                "SELECT concat_ws(' ', standing, is_sent) FROM push.approvals WHERE campaign = \(campaign)")
        }
    }

    @Test func twoPersonsBehindOneConsoleAreFourEyes() async throws {
        let desk = try await Desk.make()
        try await desk.make("spring", by: "anna")
        #expect(try await desk.standing("spring") == ["not approved f"])
        #expect(try await desk.approve("spring", by: "bert") == nil)
        #expect(try await desk.standing("spring") == ["approved by bert t"])
        #expect(
            try await desk.console.act(
                "bert", as: "campaign", "SELECT started::text FROM push.start_run('spring', 'k')") == ["true"])
        // What was approved stays approved when the console is taken away.
        try await desk.test.database.script("REVOKE push_console FROM \(desk.test.name)_console")
        #expect(try await desk.standing("spring") == ["approved by bert t"])
    }

    /// Two browsers, and two ways to write a name that a directory takes for one.
    @Test func onePersonWithTwoBrowsersIsNot() async throws {
        let desk = try await Desk.make()
        let other = try await Console.make(on: desk.test, login: "second")
        try await desk.make("spring", by: "Zoë")
        for (name, console) in [
            ("Zoë", desk.console), ("Zoë", other), ("ZOË", desk.console), ("zoe\u{308}", desk.console),
            ("\u{ff3a}oë", desk.console),
        ] {
            let error = try #require(try await desk.approve("spring", by: name, with: console), "\(name)")
            #expect(error.message == "Zoë made revision 1 of campaign spring")
            #expect(error.hint == "It asks for the approval of somebody else.")
        }
        #expect(try await desk.test.number("SELECT count(*) FROM push.approval") == 0)
        // Nor does it count where a row says so.
        try await desk.test.database.script(
            """
            INSERT INTO push.approval (campaign, revision, hash, verdict, by, login, is_person, settings)
            SELECT 1, 1, a.hash, 'approved', 'ZOË', 'elsewhere', true, push_internal.settings_of_spec(r.spec)
              FROM push.approvals a JOIN push.campaign_revision r ON r.campaign = 1
            """)
        #expect(try await desk.standing("spring") == ["not approved f"])
        #expect(try await desk.approve("spring", by: "bert", with: other) == nil)
        #expect(try await desk.standing("spring") == ["approved by bert t"])
    }

    /// A person whom nobody vouches for is the login, which all of them share.
    @Test func whereAConsoleNamedNobodyItsLoginCounts() async throws {
        let desk = try await Desk.make()
        let cases: [(String?, String?)] = [(nil, "bert"), ("anna", nil), (nil, nil)]
        for (n, (author, reader)) in cases.enumerated() {
            try await desk.make("c\(n)", by: author)
            let error = try #require(try await desk.approve("c\(n)", by: reader))
            #expect(error.message == "\(author ?? "push_campaign") made revision 1 of campaign c\(n)")
            #expect(error.hint == "It asks for the approval of somebody else, with another login.")
        }
        #expect(try await desk.test.number("SELECT count(*) FROM push.approval") == 0)
    }

    @Test func betweenAConsoleAndAnotherLoginNamesAndLoginsBothCount() async throws {
        let desk = try await Desk.make()
        let reader = try await desk.test.login(as: "push_approve").database
        let login = "\(desk.test.name)_push_approve"
        // A person who leaves the console for psql keeps the name.
        try await desk.make("own", by: login)
        let same = await #expect(throws: DatabaseError.self) { try await reader.execute(Desk.approving("own")) }
        #expect(same?.message == "\(login) made revision 1 of campaign own")
        try await desk.make("others", by: "anna")
        try await reader.execute(Desk.approving("others"))
        #expect(try await desk.standing("others") == ["approved by \(login) t"])
        await reader.close()
    }

    /// It makes no difference who made the revision and who approves it, and everybody is one with themselves.
    @Test func whetherTwoAreOneDoesNotDependOnTheirOrder() async throws {
        let wrong: SQL = """
            WITH session(by, login, is_person) AS (
                SELECT b.by, l.login, p.is_person
                  FROM unnest('{anna,Anna,bert,push_campaign}'::text[]) b(by), unnest('{console,second,anna}'::text[]) l(login),
                       unnest('{true,false}'::boolean[]) p(is_person))
            SELECT concat_ws(' ', a, b)
              FROM session a, session b
             WHERE push_internal.may_be_one(a.by, a.login, a.is_person, b.by, b.login, b.is_person)
                   <> push_internal.may_be_one(b.by, b.login, b.is_person, a.by, a.login, a.is_person)
                OR a = b AND NOT push_internal.may_be_one(a.by, a.login, a.is_person, b.by, b.login, b.is_person)
            """
        #expect(try await StoreFixture.untouched.test.texts(wrong) == [])
    }

    /// Neither a login with both roles nor a superuser becomes two by naming two.
    @Test func aLoginThatIsNoConsolesIsOnePersonWhateverItSets() async throws {
        let desk = try await Desk.make()
        let both = try await desk.test.login(as: "push_campaign").database
        try await desk.test.database.script("GRANT push_approve TO \(desk.test.name)_push_campaign")
        for (n, database) in [both, desk.test.database].enumerated() {
            func act(_ person: String, _ sql: SQL) async throws {
                try await database.withTransaction { connection in
                    try await connection.execute("SELECT set_config('push.person', \(person), true)")
                    try await connection.execute(sql)
                }
            }
            try await act("anna", Desk.making("c\(n)"))
            let error = await #expect(throws: DatabaseError.self) { try await act("bert", Desk.approving("c\(n)")) }
            #expect(error?.message.hasSuffix(" made revision 1 of campaign c\(n)") == true)
        }
        #expect(try await desk.test.texts("SELECT is_person::text FROM push.campaign_revision") == ["false", "false"])
        await both.close()
    }
}
