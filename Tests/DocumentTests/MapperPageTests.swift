import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/orm.md and docs/orm/*: object mappers with a login that may only enqueue.
@Suite struct MapperPageTests {
    private static let page = "docs/orm.md"

    @Test(arguments: Mapper.all.filter(\.tool.isExpected))
    func aMessageIsKeptWithItsOrderAndEachStoryIsOnePost(mapper: Mapper) async throws {
        let shop = try await Shop.open()
        try await countRows(shop)
        let ended = try await mapper.tool([mapper.program], environment: shop.environment(user: shop.login))
        let shown = try #require(try Page(Self.page).blocks("text").first).text + "\n"
        #expect(ended.status == 0 && ended.output == shown && ended.errors.isEmpty, "\(ended)")

        let test = shop.worker.test
        #expect(
            try await test.texts(
                "SELECT customer || CASE WHEN shipped_at IS NULL THEN '' ELSE ' shipped' END FROM orders")
                == ["42 shipped"])
        #expect(try await statements(shop) == ["1", "4", "2"], "the order, both stories, the shipment")
        try await shop.worker.drain()
        #expect(try await shop.worker.statuses() == "accepted 7")
        #expect(shop.worker.taken.count == 4, "the order, a post for each story, the shipment")
        #expect(try await shop.worker.lost() == [])
    }

    @Test(arguments: Mapper.all.filter(\.tool.isExpected))
    func anAttributeWithoutAValueHasTheColumnsDefault(mapper: Mapper) async throws {
        let shop = try await Shop.open()
        try await run(
            mapper,
            [
                "SQLAlchemy": """
                with Session(create_engine("postgresql+psycopg://")) as session, session.begin():
                    session.add(Message(hub="news", tag="World", content={"message": "hi"}, priority=None, send_at=None))
                """,
                "Django": "Message.objects.create(tag='World', content={'message': 'hi'}, priority=None, send_at=None)",
                "Active Record": """
                Message.partial_writes = false # as in Rails 7: every attribute
                Message.create!(tag: "World", content: { message: "hi" }, priority: nil, send_at: nil, pack: nil)
                """,
            ], in: shop)
        #expect(
            try await shop.worker.test.texts(
                """
                SELECT concat_ws(' ', priority, format, pack, broadcast, send_at <= clock_timestamp(), headers IS NULL)
                  FROM push.message
                """)
                == ["1 template t f t t"])
        try await shop.worker.drain()
        #expect(try await shop.worker.statuses() == "accepted 1")
    }

    /// The table "Which rows are one content".
    @Test(
        arguments: zip(
            [Mapper.sqlAlchemy, .django, .activeRecord], [["1000", "1"], ["1", "1", "1001"], ["1", "1", "1001"]]
        ).filter(\.0.tool.isExpected))
    func aMapperMakesTheStatementsThatThePageSays(mapper: Mapper, expected: [String]) async throws {
        let shop = try await Shop.open()
        try await countRows(shop)
        try await run(
            mapper,
            [
                "SQLAlchemy": """
                with Session(create_engine("postgresql+psycopg://")) as session, session.begin():
                    session.add_all(Message(hub="news", tag="World", content={"message": f"{n}"}) for n in range(1001))
                """,
                "Django": """
                for n in range(2): Message.objects.create(tag="World", content={"message": f"{n}"})
                Message.objects.bulk_create(Message(tag="World", content={"message": f"{n}"}) for n in range(1001))
                """,
                "Active Record": """
                2.times { |n| Message.create!(tag: "World", content: { message: n.to_s }) }
                Message.insert_all!((0..1000).map { |n| { hub: HUB, tag: "World", content: { message: n.to_s } } })
                """,
            ], in: shop)
        #expect(try await statements(shop) == expected)
    }

    /// What the login may read through each mapper, and the words it gets for the rest.
    @Test(
        arguments: zip(
            [Mapper.sqlAlchemy, .django, .activeRecord],
            [
                "1 1\n'Message.tag' is not available due to raiseload=True\n",
                "1 World True\n42501 permission denied for table message\n42501 permission denied for table message\n",
                """
                1 World true
                PG::InsufficientPrivilege: ERROR:  permission denied for table message
                PG::InsufficientPrivilege: ERROR:  permission denied for table message
                Message is marked as readonly

                """,
            ]
        ).filter(\.0.tool.isExpected))
    func onlyTheIdIsReadBack(mapper: Mapper, expected: String) async throws {
        let shop = try await Shop.open()
        let ended = try await run(
            mapper,
            [
                "SQLAlchemy": """
                from sqlalchemy.exc import InvalidRequestError
                with Session(create_engine("postgresql+psycopg://")) as session:
                    message = Message(hub="news", tag="World", content={"message": "hi"})
                    session.add(message)
                    session.commit()
                    session.refresh(message)
                    print(message.id, session.get(Message, 1).id)
                    try: message.tag
                    except InvalidRequestError as error: print(error)
                """,
                "Django": """
                message = Message.objects.create(tag="World", content={"message": "hi"})
                print(message.id, message.tag, Message.objects.filter(id=1).exists())
                for read in (lambda: Message.objects.get(id=1), message.refresh_from_db):
                    try: read()
                    except Error as error: print(error.__cause__.sqlstate, error.__cause__.diag.message_primary)
                """,
                "Active Record": """
                message = Message.create!(tag: "World", content: { message: "hi" })
                puts "#{message.id} #{message.tag} #{Message.exists?(1)}"
                [-> { Message.find(1) }, -> { message.reload }, -> { message.update!(tag: "x") }].each do |read|
                  read.call
                rescue ActiveRecord::ActiveRecordError => error
                  puts error.message.lines.first
                end
                """,
            ], in: shop)
        #expect(ended.output == expected)
    }

    /// Rails 7.1 reads `send_at` back by itself. Debian's version does so when asked.
    @Test(.enabled(if: Mapper.activeRecord.tool.isExpected, Tool.advice))
    func aMapperMayReadSendAtBack() async throws {
        let shop = try await Shop.open()
        #expect(try Page(Self.page).blocks("sql").isEmpty, "nobody runs them")
        let ended = try await run(
            .activeRecord,
            [
                "Active Record": """
                rows = [{ hub: HUB, tag: "World", content: { message: "hi" } }]
                p Message.insert_all!(rows, returning: %w[id send_at]).rows.first.map(&:class)
                """
            ], in: shop)
        #expect(ended.output == "[Integer, Time]\n")
    }

    /// Fails on a build machine when a mapper is missing.
    @Test(arguments: Mapper.all)
    func aMapperOfThePageCanBeRunHere(mapper: Mapper) {
        withKnownIssue("bin/setup --test installs it", isIntermittent: true) {
            #expect(mapper.tool.isThere, "\(mapper)")
        } when: {
            !mapper.tool.isExpected
        }
    }

    @discardableResult
    private func run(_ mapper: Mapper, _ scripts: [String: String], in shop: Shop) async throws -> Tool.Ended {
        let text = try #require(scripts[mapper.description])
        let ended = try await mapper.tool(mapper.script(text), environment: shop.environment(user: shop.login))
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(mapper): \(ended)")
        return ended
    }

    /// From now on the table `statement` has, for each statement that enqueued, how many rows it had.
    private func countRows(_ shop: Shop) async throws {
        try await shop.worker.test.database.script(
            """
            CREATE TABLE statement (id int GENERATED ALWAYS AS IDENTITY, rows int);
            CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO public.statement (rows) SELECT count(*) FROM fresh HAVING count(*) > 0;
                RETURN NULL;
            END $$;
            CREATE TRIGGER count_rows AFTER INSERT ON push.message REFERENCING NEW TABLE AS fresh
                FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
            """)
    }

    private func statements(_ shop: Shop) async throws -> [String] {
        try await shop.worker.test.texts("SELECT rows::text FROM statement ORDER BY id")
    }
}
