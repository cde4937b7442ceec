import Foundation
import ProgramSupport
import TestSupport
import Testing

/// deploy/systemd: systemd understands every word of the units, and they forbid nothing that the worker does.
@Suite struct SystemdTests {
    private static let services = ["fanfare.service", "fanfare-console.service", "fanfare-drain@nightly.service"]
    private static let units = services + ["fanfare-drain@nightly.timer"]

    /// The units with the path of the built command instead of the installed one, which systemd-analyze looks for.
    private func installed() throws -> Folder {
        let folder = try Folder()
        for file in try Repository.files(in: "deploy/systemd") where file.hasPrefix("fanfare") {
            guard let text = try? Repository.text("deploy/systemd/\(file)") else {  // a directory of drop-ins
                for name in try Repository.files(in: "deploy/systemd/\(file)") {
                    try folder.write(try Repository.text("deploy/systemd/\(file)/\(name)"), to: "\(file)/\(name)")
                }
                continue
            }
            try folder.write(text.replacing("/usr/bin/fanfare", with: Fanfare.path), to: file)
        }
        return folder
    }

    /// The exit status is 0 even for a misspelt word, so the tool has to be silent as well.
    private func verify(_ unit: String, in folder: Folder) async throws -> String {
        let ended = try await Tool.systemd(["verify", "--man=no", folder.url(unit).path()])
        return ended.status == 0 && ended.errors.isEmpty ? "" : "\(ended)"
    }

    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice), arguments: units)
    func everyUnitIsUnderstood(unit: String) async throws {
        #expect(try await verify(unit, in: try installed()) == "")
    }

    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice))
    func aMisspeltWordIsFound() async throws {
        let folder = try installed()
        let unit = try folder.read("fanfare.service").replacing("WatchdogSec=", with: "WatchdocSec=")
        try folder.write(unit, to: "fanfare.service")
        #expect(try await verify("fanfare.service", in: folder).contains("WatchdocSec"))
    }

    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice), arguments: services)
    func aServiceIsConfined(service: String) async throws {
        let folder = try installed()
        let unit = folder.url(service).path()
        let ended = try await Tool.systemd(["security", "--offline=true", "--threshold=20", unit])
        withExtendedLifetime(folder) {}
        #expect(ended.status == 0, "\(ended)")
    }

    /// Settings of the unit that match promises of the command.
    @Test func theUnitGivesTheWorkerTimeToDrain() throws {
        let unit = try Repository.text("deploy/systemd/fanfare.service")
        for line in ["Type=notify", "TimeoutStopSec=90", "WatchdogSec=30", "RestartPreventExitStatus=64 77 78"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice))
    func theTimerHasANextTime() async throws {
        let timer = try Repository.text("deploy/systemd/fanfare-drain@.timer")
        let time = try #require(timer.firstMatch(of: /(?m)^OnCalendar=(.+)$/)?.1)
        let ended = try await Tool.systemd(["calendar", String(time)])
        #expect(ended.status == 0 && ended.output.contains("Next elapse"), "\(ended)")
    }

    @Test(.enabled(if: Tool.systemd.isExpected, Tool.advice))
    func aPackageGetsItsUserAndItsDirectories() async throws {
        let root = try Folder()
        try root.write("root:x:0:0:root:/root:/bin/sh\n", to: "etc/passwd")
        try root.write("root:x:0:\n", to: "etc/group")
        let users = try await Tool("systemd-sysusers")(
            ["--root=\(root.path)", Repository.url("deploy/systemd/sysusers.d/fanfare.conf").path()])
        #expect(users.status == 0, "\(users)")
        #expect(
            try root.read("etc/passwd").contains(/\nfanfare:x:\d+:\d+:Fanfare, push notifications:\/var\/lib\/fanfare:/)
        )
        let files = try await Tool("systemd-tmpfiles")(
            ["--create", "--root=\(root.path)", Repository.url("deploy/systemd/tmpfiles.d/fanfare.conf").path()])
        #expect(files.status == 0, "\(files)")
        let mode = try FileManager.default.attributesOfItem(atPath: root.url("etc/fanfare/credentials").path())
        #expect(mode[.posixPermissions] as? Int == 0o700)
    }

    /// Traces the system calls of a drain: a filter that forbids one would otherwise show only in production.
    @Test(.enabled(if: Tool.strace.isExpected && Tool.systemd.isExpected, Tool.advice))
    func theWorkerCallsNothingThatItsUnitForbids() async throws {
        let bench = try await WorkerBench.make()
        let folder = try Folder()
        try await bench.worker.enqueue(50)
        let ended = try await Tool.strace(
            ["-f", "-qq", "-e", "signal=none", "-o", folder.url("trace").path(), Fanfare.path, "drain"],
            in: URL(filePath: bench.folder.path))
        #expect(ended.status == 0, "\(ended)")
        #expect(bench.worker.taken.count == 50)

        let trace = try folder.read("trace")
        let calls = Set(trace.matches(of: /(?m)^\d+ +(?:<\.\.\. )?([a-z0-9_]+)[( ]/).map { String($0.1) })
        #expect(calls.isSuperset(of: ["execve", "connect", "epoll_wait"]))
        let unit = try Repository.text("deploy/systemd/fanfare.service")
        #expect(calls.subtracting(try await SyscallFilter.calls(of: unit)) == [])

        let families = Set(trace.matches(of: /socket\((AF_[A-Z0-9]+)/).map { String($0.1) })
        let allowed = try #require(unit.firstMatch(of: /RestrictAddressFamilies=(.+)/)?.1)
        // A name look-up asks the kernel for its addresses, and works without the answer.
        #expect(families.subtracting(["AF_NETLINK"]).isSubset(of: allowed.split(separator: " ").map(String.init)))
        #expect(!trace.contains("PROT_WRITE|PROT_EXEC"), "MemoryDenyWriteExecute= forbids that")
    }
}
