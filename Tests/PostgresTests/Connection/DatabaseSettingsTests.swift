import Testing

@testable import Postgres

@Suite struct DatabaseSettingsTests {
    @Test(arguments: [
        "host=/nowhere user=u password=hunter2 dbname=x", "postgresql://u:hunter2@127.0.0.1:1/x",
        "postgresql://u:hunter2@/x?host=/nowhere",
    ])
    func thePasswordIsInNoErrorAndNoDescription(url: String) async {
        let settings = DatabaseSettings(url: url)
        let database = Database(settings)
        let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
        await database.close()
        var dumped = ""
        dump(settings, to: &dumped)
        if let error { dump(error, to: &dumped) }
        #expect(error?.doing == "connect to the database")
        #expect(error?.isTransient == true)
        #expect(!(dumped + "\(settings) \(String(reflecting: settings)) \(error as Any)").contains("hunter2"))
    }

    @Test(arguments: [
        "", "host=/tmp dbname=x", "host='/a b' password='it\\'s'", "postgresql:///x", "postgresql://",
        "postgres://u@h:5433/x",
        "postgres://u@h:5433,h2/x?sslmode=require", "postgresql://h?dbname=x&sslmode=disable",
    ])
    func theDatabaseCanBeReplacedInEitherForm(url: String) throws {
        let before = try Conninfo.effective(url)
        for name in ["bench_1", "it's", #"a b%\"#, "\u{600}'x", "'\u{301}", "\u{600}\\"] {
            let after = try Conninfo.effective(DatabaseSettings.url(url, naming: name))
            #expect(after["dbname"] == name)
            #expect(after.filter { $0.key != "dbname" } == before.filter { $0.key != "dbname" })
        }
    }
}
