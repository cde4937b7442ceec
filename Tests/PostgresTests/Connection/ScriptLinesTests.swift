import Testing

@testable import Postgres

/// Where a statement begins, of which the server says only that it is the third.
@Suite struct ScriptLinesTests {
    private static let script = """
        -- A comment; with a semicolon.
        SELECT 'a;b', "c;d", $x$e;
        f$x$ /* g; h */;

        CREATE FUNCTION one() RETURNS int LANGUAGE sql BEGIN ATOMIC
            SELECT CASE WHEN true THEN 1 END;
            SELECT 2;
        END;
        ;; SELECT $1;
        DO $$ BEGIN PERFORM 1; END $$;
        SELECT last
        """

    @Test(arguments: [(0, 2), (1, 5), (2, 9), (3, 10), (4, 11)])
    func everyStatementHasItsLine(_ before: Int, _ line: Int) {
        #expect(ScriptLines.line(ofStatement: before, in: Self.script) == line)
    }

    @Test func behindTheLastThereIsNone() {
        #expect(ScriptLines.line(ofStatement: 5, in: Self.script) == nil)
        #expect(ScriptLines.line(ofStatement: 0, in: " ; -- nothing\n;") == nil)
    }
}
