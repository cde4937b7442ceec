import Foundation
import ProgramSupport
import Testing

/// deploy/debian: what dpkg runs as root when the package comes and goes. Each script runs here with commands in its PATH
/// that record how they are called, and nothing else.
@Suite struct MaintainerScriptTests {
    private static let scripts = ["postinst", "prerm", "postrm"]

    /// The calls a script makes.
    ///
    /// - Parameter commands: what is installed, of the commands that it may look for.
    private func calls(of script: String, _ arguments: [String], commands: [String]) async throws -> [String] {
        let scratch = try ScratchDirectory()
        for command in commands {
            let stub = """
                #!/bin/sh
                printf '%s\\n' "\(command) $*" >>'\(scratch.path)/calls'
                """
            try await scratch.script(stub, as: command)
        }
        // No such user yet.
        try await scratch.script("#!/bin/sh\nexit 2\n", as: "getent")
        try scratch.write("", to: "calls")
        let path = Repository.url("deploy/debian/fanfare.\(script)").path()
        let ended = try await Tool("/bin/sh")([path] + arguments, environment: ["PATH": scratch.path])
        #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
        return try scratch.read("calls").split(separator: "\n").map(String.init)
    }

    private static let everything = [
        "systemd-sysusers", "adduser", "deb-systemd-helper", "deb-systemd-invoke", "systemctl",
    ]
    /// On a machine that systemd has booted it reads the units again.
    private static let reload = "systemctl --system daemon-reload"

    @Test func anInstallationMakesTheUserAndStartsNothing() async throws {
        let calls = try await calls(of: "postinst", ["configure"], commands: Self.everything)
        #expect(
            calls.filter { $0 != Self.reload } == [
                "systemd-sysusers /usr/lib/sysusers.d/fanfare.conf", "deb-systemd-helper update-state fanfare.service",
                "deb-systemd-helper update-state fanfare-console.service",
                "deb-systemd-helper update-state fanfare-drain@.timer",
            ])
    }

    @Test func theUserIsMadeWithoutSystemdAsWell() async throws {
        let calls = try await calls(of: "postinst", ["configure"], commands: ["adduser"])
        #expect(calls.count == 1)
        #expect(calls[0].hasPrefix("adduser --quiet --system --group --no-create-home --home /var/lib/fanfare "))
        #expect(calls[0].hasSuffix(" fanfare"))
    }

    @Test func anUpgradeLeavesTheWorkerAlone() async throws {
        for arguments in [["upgrade", "0.2.0"], ["deconfigure"], ["failed-upgrade", "0.1.0"]] {
            #expect(try await calls(of: "prerm", arguments, commands: Self.everything) == [], "\(arguments)")
        }
        let after = try await calls(of: "postrm", ["upgrade", "0.2.0"], commands: Self.everything)
        #expect(after == [])
    }

    @Test func aRemovalKeepsTheUserAndTheSettings() async throws {
        let removed = try await calls(of: "postrm", ["remove"], commands: Self.everything)
        #expect(removed.filter { $0 != Self.reload } == [])
        let purged = try await calls(of: "postrm", ["purge"], commands: Self.everything)
        #expect(purged == ["deb-systemd-helper purge fanfare.service fanfare-console.service fanfare-drain@.timer"])
        // Debian's own helper may be gone by then.
        #expect(try await calls(of: "postrm", ["purge"], commands: []) == [])
    }

    /// Only a machine with systemd has something to stop.
    @Test func aRemovalStopsTheWorker() async throws {
        let calls = try await calls(of: "prerm", ["remove"], commands: Self.everything)
        let isBooted = FileManager.default.fileExists(atPath: "/run/systemd/system")
        let stop =
            "deb-systemd-invoke stop fanfare-drain@*.timer fanfare-drain@*.service fanfare-console.service fanfare.service"
        #expect(calls == (isBooted ? [stop] : []))
        #expect(try Repository.text("deploy/debian/fanfare.prerm").contains("\n    deb-systemd-invoke stop "))
    }

    @Test(arguments: scripts)
    func aScriptIsPlainShellThatStopsAtItsFirstError(script: String) async throws {
        let text = try Repository.text("deploy/debian/fanfare.\(script)")
        #expect(text.hasPrefix("#!/bin/sh\n") && text.contains("\nset -e\n"))
        let ended = try await Tool("/bin/sh")(["-n", "deploy/debian/fanfare.\(script)"])
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
    }

    @Test(
        .enabled(if: Tool.shellcheck.isExpected, Tool.advice),
        arguments: scripts.map { "deploy/debian/fanfare.\($0)" } + [
            "bin/package", "bin/setup", "bin/generate", "bin/versions", "bin/sanitize", ".ci/nightly",
            "deploy/compose.roles.sh", "deploy/nagios/check_fanfare",
        ])
    func shellcheckFindsNoFault(file: String) async throws {
        let ended = try await Tool.shellcheck([file])
        #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
    }
}
