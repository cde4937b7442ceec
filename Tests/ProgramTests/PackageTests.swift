import Foundation
import ProgramSupport
import Testing

/// bin/package with the programs of this test run. They are debug builds that load Swift's shared libraries, which
/// `bin/package --verify` says and adds to the root it runs them in. Only a release build shows that a package needs no
/// Swift: `bin/package --verify` without `--binaries`.
@Suite struct PackageTests {
    private static let packager = Tool("dpkg-shlibdeps")
    private static let isExpected = packager.isExpected && Tool.debian.isExpected
    /// Made once for all tests.
    private static let packages = Task { try await Packages() }

    @Test(.enabled(if: isExpected, Tool.advice))
    func aPackageHoldsItsProgramAndWhatBelongsToIt() async throws {
        let packages = try await Self.packages.value
        let fanfare = try await packages.contents(of: "fanfare")
        #expect(
            fanfare.files
                == Set(
                    shared(by: "fanfare").map { "usr/" + $0 } + Self.units.map { "usr/lib/" + $0 }
                        + Self.migrations.map { "usr/share/fanfare/migrations/" + $0 }
                        + [
                            "usr/share/doc/fanfare/changelog.gz", "usr/share/doc/fanfare/examples/config.schema.json",
                            "usr/share/doc/fanfare/examples/credentials.conf",
                            "usr/share/doc/fanfare/examples/check_fanfare",
                            "usr/share/lintian/overrides/fanfare", "usr/share/zsh/vendor-completions/_fanfare",
                        ]))
        let emulator = try await packages.contents(of: "fanfare-emulator")
        #expect(
            emulator.files
                == Set(
                    shared(by: "fanfare-emulator").map { "usr/" + $0 } + [
                        "usr/share/doc/fanfare-emulator/changelog.gz",
                        "usr/share/zsh/vendor-completions/_fanfare-emulator",
                    ]))
        // Settings belong to the operator: a directory, and no file that an upgrade would ask about.
        #expect(
            fanfare.directories.filter { $0.hasPrefix("etc/") } == ["etc/", "etc/fanfare/", "etc/fanfare/credentials/"])
        #expect(fanfare.modes["etc/fanfare/credentials/"] == "drwx------")
        for contents in [fanfare, emulator] {
            #expect(contents.owners == ["root/root"])
            for (path, mode) in contents.modes where path != "etc/fanfare/credentials/" {
                let isProgram = path.hasPrefix("usr/bin/") && !path.hasSuffix("/")
                #expect(
                    mode == (path.hasSuffix("/") ? "drwxr-xr-x" : isProgram ? "-rwxr-xr-x" : "-rw-r--r--"), "\(path)")
            }
        }
    }

    @Test(.enabled(if: isExpected, Tool.advice))
    func theTarballHoldsBothProgramsForUsrLocal() async throws {
        let packages = try await Self.packages.value
        let tarball = try await packages.contentsOfTarball()
        #expect(
            tarball.files
                == Set(
                    shared(by: "fanfare") + shared(by: "fanfare-emulator") + Self.units.map { "lib/" + $0 }
                        + Self.migrations.map { "share/fanfare/migrations/" + $0 }
                        + [
                            "share/doc/fanfare/LICENSE", "share/doc/fanfare/install.md",
                            "share/doc/fanfare/examples/config.schema.json",
                            "share/doc/fanfare/examples/credentials.conf",
                            "share/doc/fanfare/examples/check_fanfare",
                            "share/zsh/site-functions/_fanfare", "share/zsh/site-functions/_fanfare-emulator",
                        ]))
        #expect(tarball.owners == ["0/0"])
        let unit = try await packages.tarball("--extract", "--to-stdout", "--wildcards", "*/fanfare.service")
        #expect(unit.contains("\nExecStart=/usr/local/bin/fanfare run "))
    }

    @Test(.enabled(if: isExpected, Tool.advice))
    func aPackageDependsOnTheLibrariesOfItsProgram() async throws {
        let packages = try await Self.packages.value
        for program in CompletionTests.programs {
            #expect(try await packages.field("Package", of: program) == program)
            #expect(try await packages.field("Version", of: program) == packages.version)
            #expect(try await packages.field("Conffiles", of: program) == "")
        }
        let fanfare = try await packages.dependencies(of: "fanfare")
        #expect(fanfare.isSuperset(of: ["ca-certificates", "libc6", "libpq5", "tzdata"]))
        // Debian 13 and Ubuntu 24.04 add t64 to some names.
        #expect(fanfare.contains { $0.hasPrefix("libcurl4") } && fanfare.contains { $0.hasPrefix("libssl3") })
        let emulator = try await packages.dependencies(of: "fanfare-emulator")
        #expect(emulator.contains("libc6") && emulator.contains { $0.hasPrefix("libcurl4") })
        for depends in [fanfare, emulator] {
            #expect(depends.contains("libnghttp2-14"))
            #expect(!depends.contains { $0.hasPrefix("libxml2") })
        }
        #expect(!emulator.contains("libpq5"))
    }

    @Test(.enabled(if: isExpected, Tool.advice))
    func theCarriedFilesAreThoseOfTheRepository() async throws {
        let root = try await Self.packages.value.unpacked("fanfare")
        for name in Self.migrations {
            #expect(try root.read("usr/share/fanfare/migrations/\(name)") == Repository.text("migrations/\(name)"))
        }
        #expect(try root.read("usr/share/doc/fanfare/examples/config.json") == Repository.text("config.json"))
        for unit in [
            "fanfare.service", "fanfare-console.service", "fanfare-drain@.service", "fanfare-drain@.timer",
        ] {
            #expect(try root.read("usr/lib/systemd/system/\(unit)") == Repository.text("deploy/systemd/\(unit)"))
        }
        for (shell, path) in [
            ("bash", "bash-completion/completions/fanfare"), ("zsh", "zsh/vendor-completions/_fanfare"),
            ("fish", "fish/vendor_completions.d/fanfare.fish"),
        ] {
            let printed = try await BuiltProgram(settings: nil)("completions", shell).output
                // bash loads its script and does not run it.
                .replacing(/^#!\/bin\/bash\n/, with: "")
            let isCurrent = try root.read("usr/share/\(path)") == printed
            #expect(isCurrent, "\(path) is not what the program prints")
        }
        let manual = try await Tool("gzip")(["-dc", root.url("usr/share/man/man1/fanfare.1.gz").path()])
        let isCurrent = try await manual.output == BuiltProgram(settings: nil)("manual").output
        #expect(isCurrent, "the manual page is not what the program prints")
    }

    /// lintian, and a run in a root with the packages it depends on; the same bytes as the first time.
    @Test(
        .enabled(if: isExpected && Tool.lintian.isExpected && Tool.runtime.isExpected, Tool.advice),
        .timeLimit(.minutes(10)))
    func aPackageRunsBesideWhatItDependsOnAndNothingElse() async throws {
        let packages = try await Self.packages.value
        let again = try await Packages("--verify")
        #expect(!again.ended.output.contains("E: "), "\(again.ended)")
        for program in CompletionTests.programs {
            let needed = try #require(
                again.ended.output.firstMatch(
                    of: try Regex("\(program): runs with the ([0-9]+) packages", as: (Substring, Substring).self)))
            #expect(Int(needed.1) ?? 0 > 20, "\(again.ended)")
        }
        #expect(try again.scratch.read("SHA256SUMS") == packages.scratch.read("SHA256SUMS"))
    }

    @Test(arguments: [["--nope"], ["--output"], ["dist"]])
    func aWrongOptionIsRefused(arguments: [String]) async throws {
        let ended = try await Tool.shell(["bin/package"] + arguments)
        #expect(ended.status == 64 && ended.errors.contains("--binaries DIR"), "\(ended)")
    }

    @Test func aProgramThatIsMissingIsNamed() async throws {
        let scratch = try ScratchDirectory()
        let ended = try await Tool.shell(["bin/package", "--binaries", scratch.path, "--output", scratch.path])
        #expect(ended.status == 70 && ended.errors.contains(/there is no .*\/fanfare\n/), "\(ended)")
    }

    private func shared(by program: String) -> [String] {
        [
            "bin/\(program)", "share/man/man1/\(program).1.gz", "share/bash-completion/completions/\(program)",
            "share/fish/vendor_completions.d/\(program).fish", "share/doc/\(program)/copyright",
            "share/doc/\(program)/CHANGELOG.md.gz", "share/doc/\(program)/examples/config.json",
        ]
    }

    private static let units = [
        "systemd/system/fanfare.service", "systemd/system/fanfare-console.service",
        "systemd/system/fanfare-drain@.service", "systemd/system/fanfare-drain@.timer", "sysusers.d/fanfare.conf",
        "tmpfiles.d/fanfare.conf",
    ]
    private static let migrations = (try? Repository.files(below: "migrations", ending: ".sql")) ?? []
}
