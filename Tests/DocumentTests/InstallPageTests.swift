import Foundation
import ProgramSupport
import TestSupport
import Testing

/// docs/install.md, "A database and a hub": what is to be typed on a fresh Debian, as root.
@Suite struct InstallPageTests {
    /// Whether this process may have directories and a network of its own, and Debian's PostgreSQL of the page is there.
    private static let freshMachine = Tool(
        "unshare",
        check: ["-m", "-n", "bash", "-c", "mount -t tmpfs none /run && test -x /usr/lib/postgresql/15/bin/initdb"])

    /// Hides the clusters of this machine, and its systemd, which would start one of those.
    private static let beginning = """
        set -e
        for folder in /run /etc/postgresql /var/lib/postgresql /var/log/postgresql; do mount -t tmpfs none $folder; done
        install -d -o postgres -g postgres -m 2775 /run/postgresql
        chown postgres:postgres /var/lib/postgresql /var/log/postgresql
        echo "listen_addresses = ''" >/run/createcluster.conf
        mount --bind /run/createcluster.conf /etc/postgresql-common/createcluster.conf
        sudo() { if [ "$1" = -u ]; then runuser -u "$2" -- "${@:3}"; else "$@"; fi; }
        trap 'pg_ctlcluster 15 main stop -m immediate' EXIT

        """

    @Test(.enabled(if: freshMachine.isThere, "needs root, namespaces and Debian's PostgreSQL 15"))
    func aDatabaseIsMadeAsThePageSays() async throws {
        let page = try Page("docs/install.md")
        let block = try #require(page.blocks("sh").first { $0.text.contains("createuser") })
        var lines = block.text.split(separator: "\n").map(String.init)
        #expect(lines.removeFirst().hasPrefix("sudo apt install postgresql "))
        let createUser = try #require(lines.first)
        // What createdb says, and what to type then.
        let remedies = page.text.matches(of: /(?m)^\| (?:`[^|]+`|the same) \|[^|]+\| `(.+)` \|$/).map { String($0.1) }
        let wrong = "createdb fanfare 2>&1 || true"
        let steps =
            [wrong, remedies[1], wrong, "pg_ctlcluster 15 main stop", wrong, remedies[0]]
            + ["sudo -u postgres createuser \(NSUserName())", wrong, remedies[2], "createdb once"]
            + ["dropdb once", "sudo -u postgres dropuser \(NSUserName())", createUser] + lines.dropFirst()
        let ended = try await Self.freshMachine(
            ["-m", "-n", "bash", "-c", Self.beginning + steps.joined(separator: "\n")],
            environment: ["PATH": "\(Fanfare.directory):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
        #expect(ended.status == 0 && ended.output.contains("hub news: registered"), "\(ended)")
        let said = ended.output.matches(
            of: /createdb: error: .*(No such file or directory|does not exist|permission denied to create database)/)
        #expect(
            said.map { String($0.1) } == [
                "No such file or directory", "does not exist", "No such file or directory",
                "permission denied to create database",
            ], "\(ended)")
    }
}
