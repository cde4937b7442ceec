import Glibc
import Testing

@testable import Postgres

@Suite struct ConnectionSecurityTests {
    @Test(arguments: [
        ("", [], true), ("postgresql:///x", [], true), ("host=/run/postgresql", [], true),
        ("host=localhost,127.0.0.1,::1", [], true), ("postgresql://[::1]:5432/x", [], true),
        ("host=db.example.org", ["db.example.org"], false),
        ("postgresql://u:hunter2@db.example.org:5432/x?sslmode=require", ["db.example.org"], false),
        ("host=localhost,db2 sslmode=verify-ca", ["db2"], false),
        ("host=127.evil.example", ["127.evil.example"], false),
        ("host=db hostaddr=10.0.0.1 sslmode=verify-full", ["10.0.0.1"], true),
        ("postgresql://a,b/x?sslmode=verify-full", ["a", "b"], true),
    ])
    func onlyVerifyFullMakesARemoteServerSafe(url: String, hosts: [String], isSafe: Bool) throws {
        let security = try ConnectionSecurity(url: url)
        #expect(security.remoteHosts == hosts)
        #expect(security.isSafe == isSafe, "sslmode \(security.sslmode)")
    }

    @Test func theEnvironmentCountsToo() async {
        await #expect(processExitsWith: .success) {
            setenv("PGHOST", "db.example.org", 1)
            let preferred = try ConnectionSecurity(url: "")
            setenv("PGSSLMODE", "verify-full", 1)
            let verified = try ConnectionSecurity(url: "")
            let required = try ConnectionSecurity(url: "sslmode=require")
            #expect(!preferred.isSafe)
            #expect(verified.isSafe)
            #expect(!required.isSafe)
        }
    }
}
