import Foundation
import Testing

@testable import Postgres

@Suite struct ConninfoTests {
    private func added(_ url: String) throws -> [String: String] {
        let conninfo = try Conninfo(url, applicationName: "fanfare")
        #expect(conninfo.parameters.first?.value == url)
        return Dictionary(uniqueKeysWithValues: conninfo.parameters.dropFirst().map { ($0.keyword, $0.value) })
    }

    @Test(arguments: ["", "host=/tmp dbname=x", "postgresql:///x", "postgres://u@h:5433,h2/x?sslmode=require"])
    func defaultsAreAddedToEitherForm(url: String) throws {
        #expect(
            try added(url) == [
                "fallback_application_name": "fanfare", "client_encoding": "UTF8", "connect_timeout": "5",
                "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
                "tcp_user_timeout": "30000",
            ])
    }

    @Test(arguments: [
        "connect_timeout=60 keepalives_count=9", "postgresql://h/x?connect_timeout=60&keepalives_count=9",
    ])
    func optionsTheUserSetStay(url: String) throws {
        let added = try added(url)
        #expect(added["connect_timeout"] == nil)
        #expect(added["keepalives_count"] == nil)
        #expect(added["keepalives_idle"] == "30")
    }

    @Test func environmentAndServiceFileWinOverOurDefaults() async {
        await #expect(processExitsWith: .success) {
            let file = NSTemporaryDirectory() + "/\(UUID().uuidString).conf"
            try "[news]\nhost=db\nkeepalives_idle=77\n".write(toFile: file, atomically: true, encoding: .utf8)
            defer { unlink(file) }
            setenv("PGSERVICEFILE", file, 1)
            setenv("PGCONNECT_TIMEOUT", "42", 1)
            for (service, url) in [(nil, "service=news"), ("news", "")] as [(String?, String)] {
                if let service { setenv("PGSERVICE", service, 1) } else { unsetenv("PGSERVICE") }
                let keywords = try Conninfo(url, applicationName: "fanfare").parameters.map(\.keyword)
                #expect(!keywords.contains("connect_timeout"))
                #expect(!keywords.contains("keepalives_idle"))
                #expect(keywords.contains("keepalives_count"))
            }
        }
    }

    @Test(arguments: [
        "hunter2", "host=h password=x hunter2", "host=h password='hunter2", "host=h port=hunter2",
        "postgresql://u:hunter2%zz@h/x",
        "postgresql://u:pass@hunter2@h/x", "postgresql://u:hunter2/rest@h/x", "postgresql://u:1/hunter2@h/x",
        "postgresql://h/x?hunter2=1", "postgresql://[hunter2/x", "host=h hunter2=1", "postgresql://u:p@h:hunter2/x",
    ])
    func aStringThatLibpqRefusesIsNotQuoted(url: String) {
        let error = #expect(throws: DatabaseError.self) { try Conninfo(url, applicationName: "fanfare") }
        var dumped = ""
        if let error { dump(error, to: &dumped) }
        #expect(!dumped.isEmpty)
        #expect(!dumped.contains("hunter2"))
        #expect(error?.isTransient == false)
    }

    /// Only a name that is almost known is shown: others may be a piece of a password.
    @Test(arguments: [
        ("host=h sslmod=require", "sslmod", "sslmode"),
        ("host=h connect-timeout=3", "connect-timeout", "connect_timeout"),
        ("host=h sslRootCert=x", "sslRootCert", "sslrootcert"),
        ("postgresql://h/x?ssl_mode=require", "ssl_mode", "sslmode"),
    ])
    func aMisspeltOptionNamesTheRightOne(url: String, written: String, meant: String) {
        let error = #expect(throws: DatabaseError.self) { try Conninfo(url, applicationName: "fanfare") }
        #expect(error?.message == "it has an option \(written), which libpq does not know: write \(meant)")
    }

    /// No server has to be there, and none would help.
    @Test(arguments: [
        ("host=127.0.0.1 port=1 sslmode=bogus", "sslmode", "PGSSLMODE"),
        ("host=127.0.0.1 port=99999", "port", "PGPORT"), ("host=127.0.0.1,b port=1,2,3", "port", "PGPORT"),
        ("host=127.0.0.1 port=1 target_session_attrs=any2", "target_session_attrs", "PGTARGETSESSIONATTRS"),
        ("host=127.0.0.1 port=1 tcp_user_timeout=soon", "tcp_user_timeout", ""),
        ("service=none-of-ours", "service", "PGSERVICE"),
    ])
    func aWrongValueIsAFaultOfTheSettings(url: String, option: String, variable: String) {
        let error = #expect(throws: DatabaseError.self) {
            _ = try Session(DatabaseSettings(url: url), PreparePolicy(.auto))
        }
        #expect(error?.isTransient == false)
        #expect(error?.doing == "read the database's connection string")
        let places =
            "correct \(option) in the connection string, its service\(variable.isEmpty ? "" : ", or \(variable)")"
        #expect(error?.hint == places, "\(error?.message ?? "")")
    }
}
