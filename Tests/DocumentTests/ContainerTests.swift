import Foundation
import ProgramSupport
import Testing

/// The images and manifests of deploy/. No container engine is needed: linters read the files, and the commands in them
/// run without a container.
@Suite struct ContainerTests {
    /// Each image, and the program it is for.
    private static let images = ["deploy/Dockerfile": "fanfare", "deploy/emulator.Dockerfile": "fanfare-emulator"]
    private static let dockerfiles = images.keys.sorted()

    @Test(.enabled(if: Tool.hadolint.isExpected, Tool.advice), arguments: dockerfiles)
    func theDockerfileHasNoFault(file: String) async throws {
        let ended = try await Tool.hadolint([file])
        #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
    }

    /// The ignore file lets through exactly what the image copies, and all that Package.swift needs is there.
    @Test(arguments: dockerfiles)
    func theBuildSeesWhatItCopiesAndNoSecrets(file: String) throws {
        let image = try Repository.text(file)
        let copied = Set(image.matches(of: #/(?m)^COPY ([A-Za-z.]+) /#).map { String($0.1) })
        let ignore = try Repository.text("\(file).dockerignore")
        #expect(ignore.contains("\n*\n"))
        #expect(Set(ignore.matches(of: /(?m)^!(.+)$/).map { String($0.1) }) == copied)
        for name in copied { #expect(FileManager.default.fileExists(atPath: Repository.url(name).path()), "\(name)") }
        let named = Set(
            try Repository.text("Package.swift").matches(of: /"((?:Sources|Tests)\/)/).map { $0.1.dropLast() })
        #expect(named.allSatisfy { copied.contains(String($0)) })
    }

    /// The compiler of the image is the one that bin/setup asks for.
    @Test(arguments: dockerfiles)
    func theImageIsBuiltWithTheSwiftThatIsNeeded(file: String) throws {
        let needed = try #require(try Repository.text("bin/setup").firstMatch(of: /needed=([0-9.]+)/)?.1)
        #expect(try Repository.text(file).contains("FROM swift:\(needed)-bookworm AS build"))
        #expect(try Repository.text("Package.swift").hasPrefix("// swift-tools-version: \(needed)\n"))
    }

    /// No image carries another program, and no library that its program does not need.
    @Test(arguments: dockerfiles)
    func anImageHoldsItsProgramAlone(file: String) throws {
        let program = try #require(Self.images[file])
        let image = try Repository.text(file)
        #expect(image.matches(of: /--product ([a-z-]+)/).map { String($0.1) } == [program])
        #expect(image.contains("\nCOPY --from=build /out/\(program) /usr/bin/\(program)\n"))
        #expect(image.contains("\nENTRYPOINT [\"\(program)\"]\n"))
        #expect(!image.contains("libxml2"))
        #expect(image.contains("libpq5") == (program == "fanfare"))
    }

    /// A service of compose runs the image that was built for its program, and a command that program has.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice), arguments: ["compose.yaml", "compose.hub.yaml"])
    func composeRunsTheImageOfEachProgram(file: String) async throws {
        let services = try #require(try await YAML.read("deploy/\(file)")[0]["services"] as? [String: [String: Any]])
        var found: Set<String> = []
        for (name, service) in services {
            guard let image = service["image"] as? String, image.hasPrefix("fanfare") else { continue }
            found.insert(image)
            if let build = service["build"] as? [String: String] {
                #expect(Self.images[build["dockerfile"] ?? ""] == image, "\(name)")
            }
            let command = try #require(service["command"] as? [String], "\(name)")
            let help = try await BuiltProgram(image, settings: nil).run(["help"] + command)
            #expect(help.output.contains("USAGE: \(image) \(command.joined(separator: " "))"), "\(name): \(help)")
        }
        #expect(found == (file == "compose.yaml" ? ["fanfare", "fanfare-emulator"] : ["fanfare"]))
    }

    @Test func everyManifestNamesThisVersion() async throws {
        let version = try await Fanfare.tool(["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        for file in try Repository.files(in: "deploy/kubernetes") {
            for match in try Repository.text("deploy/kubernetes/\(file)").matches(of: /image: (.+)/) {
                #expect(String(match.1) == "fanfare:\(version)", "\(file)")
            }
        }
    }

    @Test(.enabled(if: Tool.schemas.isExpected, Tool.advice), arguments: ["compose.yaml", "compose.hub.yaml"])
    func composeKnowsEveryWord(file: String) async throws {
        let ended = try await Tool.schemas(["--builtin-schema", "vendor.compose-spec", "deploy/\(file)"])
        #expect(ended.status == 0, "\(ended)")
    }

    @Test(.enabled(if: Tool.schemas.isExpected, Tool.advice))
    func anUnknownWordInComposeIsFound() async throws {
        let folder = try Folder()
        let wrong = try Repository.text("deploy/compose.yaml").replacing("restart:", with: "restarts:")
        let path = try folder.write(wrong, to: "compose.yaml")
        #expect(try await Tool.schemas(["--builtin-schema", "vendor.compose-spec", path]).status != 0)
    }

    @Test(.enabled(if: Tool.kubernetes.isExpected, Tool.advice), arguments: ["1.30", "1.37"])
    func kubernetesKnowsEveryWord(version: String) async throws {
        let files = try Repository.files(in: "deploy/kubernetes").map { "deploy/kubernetes/\($0)" }
        #expect(files.allSatisfy { $0.hasSuffix(".yaml") } && files.count >= 8)
        let ended = try await Tool.kubernetes(["-k", version, "--strict"] + files)
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.matches(of: /passed for resource/).count == files.count, "\(ended)")
    }

    @Test(.enabled(if: Tool.kubernetes.isExpected, Tool.advice))
    func anUnknownWordForKubernetesIsFound() async throws {
        let folder = try Folder()
        let wrong = try Repository.text("deploy/kubernetes/drain.yaml").replacing("backoffLimit", with: "backofLimit")
        #expect(try await Tool.kubernetes(["--strict", try folder.write(wrong, to: "drain.yaml")]).status == 1)
    }

    /// The settings of the ConfigMap with the credentials of the Secret, as a pod sees them.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func aPodFindsItsSettingsAndItsSecrets() async throws {
        let folder = try Folder()
        let settings = try await YAML.read("deploy/kubernetes/config.yaml")
        let data = try #require(settings[0]["data"] as? [String: String])
        for (name, text) in data { try folder.write(text, to: "etc/\(name)") }
        let secret = try await YAML.read("deploy/kubernetes/secret.example.yaml")
        let values = try #require(secret[0]["stringData"] as? [String: String])
        for (name, text) in values {
            // In a pod they are below /run/secrets, which only its own user can read.
            #expect(chmod(try folder.write(text, to: "run/\(name)"), 0o600) == 0)
        }

        let ended = try await Fanfare.tool(
            ["config", "check"], environment: ["CREDENTIALS_DIRECTORY": folder.path + "/run"],
            in: URL(filePath: folder.path + "/etc"))
        #expect(ended.status == 0, "\(ended)")
        #expect(!ended.errors.contains("warning"), "\(ended)")
        let printed = try await Fanfare.tool(
            ["config", "print"], environment: ["CREDENTIALS_DIRECTORY": folder.path + "/run"],
            in: URL(filePath: folder.path + "/etc"))
        #expect(printed.output.contains("breaking-news"))
        for name in values.keys { #expect(printed.output.contains("/run/\(name)"), "\(name) is not used: \(printed)") }
    }

    /// Names that one file defines and another uses.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyNameThatAPodRefersToExists() async throws {
        let files = try Repository.files(in: "deploy/kubernetes")
        var names: [String: Set<String>] = [:]
        for file in files {
            for document in try await YAML.read("deploy/kubernetes/\(file)") {
                let kind = try #require(document["kind"] as? String)
                let name = try #require((document["metadata"] as? [String: Any])?["name"] as? String)
                names[kind, default: []].insert(name)
            }
        }
        for file in files {
            let text = try Repository.text("deploy/kubernetes/\(file)")
            for match in text.matches(of: /configMap: \{name: ([a-z-]+)\}/) {
                #expect(names["ConfigMap"]?.contains(String(match.1)) == true, "\(file): \(match.1)")
            }
            for match in text.matches(of: /secretName: ([a-z-]+)/) {
                #expect(names["Secret"]?.contains(String(match.1)) == true, "\(file): \(match.1)")
            }
        }
        // Long enough for a worker to wait for its answers.
        #expect(try Repository.text("deploy/kubernetes/deployment.yaml").contains("terminationGracePeriodSeconds: 90"))
    }
}
