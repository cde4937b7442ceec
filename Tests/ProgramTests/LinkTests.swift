import Foundation
import ProgramSupport
import Testing

/// What each program may carry: no mock server, no page, no process launcher and no second TLS library in production.
@Suite struct LinkTests {
    /// `swift package dump-package`, as far as it matters here.
    private struct Package: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                /// A target of ours, or a product of another package.
                var name: String

                init(from decoder: any Decoder) throws {
                    let kinds = try decoder.singleValueContainer().decode([String: [Word?]].self)
                    name = kinds.values.first?.first??.text ?? ""
                }
            }

            /// A name; conditions of a dependency are objects and are passed over.
            struct Word: Decodable {
                var text: String?
                init(from decoder: any Decoder) throws {
                    text = try? decoder.singleValueContainer().decode(String.self)
                }
            }

            var name: String
            var dependencies: [Dependency]
        }

        var targets: [Target]

        /// Everything a target needs, directly or not.
        func needs(_ name: String) -> Set<String> {
            var found: Set<String> = []
            var open = [name]
            while let next = open.popLast() {
                for dependency in targets.first(where: { $0.name == next })?.dependencies ?? []
                where found.insert(dependency.name).inserted {
                    open.append(dependency.name)
                }
            }
            return found
        }
    }

    private static let laboratory: Set = [
        "HubEmulator", "EmulatorTLS", "PostgresServer", "Chaos", "TestSupport",
    ]

    private func description(of folder: String = ".") async throws -> Package {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(folder)").standardized
        let scratch = try ScratchDirectory()
        let output = try await Self.run(
            "/usr/bin/env", "swift", "package", "--package-path", root.path(), "--scratch-path", scratch.path,
            "dump-package")
        return try JSONDecoder().decode(Package.self, from: Data(output.utf8))
    }

    private static func run(_ path: String, _ arguments: String...) async throws -> String {
        let scratch = try ScratchDirectory()
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try scratch.open("output")
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        try process.run()
        for await status in ends { try #require(status == 0, "\(path) \(arguments) ended with \(status)") }
        return try scratch.read("output")
    }

    @Test func thePackageKeepsTheLaboratoryOutOfProduction() async throws {
        let package = try await description()
        let fanfare = package.needs("fanfare")
        #expect(fanfare.isSuperset(of: ["PushWorker", "Daemon", "HTTPServer"]))
        #expect(fanfare.isDisjoint(with: Self.laboratory.union(["NIOSSL", "NIOHTTP2"])))
        // The demo compiles no second TLS library and no HTTP/2; only the emulator's program and chaos do.
        let lab = package.needs("fanfare-lab")
        #expect(lab.contains("HubEmulator"))
        #expect(lab.isDisjoint(with: ["NIOSSL", "NIOHTTP2", "EmulatorTLS", "Chaos"]))
        let emulator = package.needs("fanfare-emulator")
        #expect(emulator.isSuperset(of: ["NIOSSL", "NIOHTTP2", "EmulatorTLS"]))
        #expect(emulator.isDisjoint(with: ["Postgres", "CLibpq", "Store", "PushWorker", "Daemon"]))
    }

    /// `bin/fuzz` compiles whole targets in a package of its own, and nobody sees at once that it no longer does.
    @Test func theFuzzedTargetsHaveWhatTheyHaveInThePackage() async throws {
        let (package, fuzzing) = (try await description(), try await description(of: "Fuzzing"))
        let script = try Repository.text("bin/fuzz")
        // Of the emulator only the parsers are there.
        let whole = fuzzing.targets.filter { !["HubEmulator", "Fuzz"].contains($0.name) }
        #expect(whole.count > 5)
        for target in whole {
            let same = try #require(package.targets.first { $0.name == target.name })
            #expect(Set(target.dependencies.map(\.name)) == Set(same.dependencies.map(\.name)), "\(target.name)")
            #expect(script.contains(try Regex("for target in [A-Za-z0-9 ]*\\b\(target.name)\\b")), "\(target.name)")
        }
    }

    /// A module's symbols begin with its name and length, as Swift mangles them.
    @Test(arguments: [
        (
            "fanfare",
            [
                "$s11HubEmulator", "$s14PostgresServer", "$s5Chaos", "CNIOBoringSSL", "$s8NIOHTTP2",
                "xmlParse",
            ]
        ),
        ("fanfare-lab", ["CNIOBoringSSL", "$s8NIOHTTP2", "xmlParse"]),
        ("fanfare-emulator", ["$s8Postgres", "$s10PushWorker", "PQconnect", "xmlParse"]),
    ])
    func theBinaryHasNoSymbolOfTheOthers(program: String, prefixes: [String]) async throws {
        let path = BuiltProgram.path(of: program)
        let symbols = try await Self.run("/usr/bin/nm", "--no-sort", path)
        #expect(symbols.utf8.count > 100_000)
        for prefix in prefixes {
            let isThere = symbols.contains(" \(prefix)")  // not in the expectation: a failure would print every symbol
            #expect(!isThere, "\(program) has symbols \(prefix)…")
        }
        let libraries = try await Self.run("/usr/bin/ldd", path)
        #expect(!libraries.contains("libxml2") && !libraries.contains("FoundationXML"), "\(libraries)")
    }
}
