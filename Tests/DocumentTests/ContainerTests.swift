import Foundation
import Testing

/// deploy/: what would be built and started as containers. There is no engine here, so the files are read by the tools
/// that know their rules, and the commands in them are run without a container.
@Suite struct ContainerTests {
    @Test(.enabled(if: Tool.hadolint.isExpected, Tool.advice))
    func theDockerfileHasNoFault() async throws {
        let ended = try await Tool.hadolint(["deploy/Dockerfile"])
        #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
    }

    /// What the image is built from is what its ignore file lets through, and all that Package.swift needs is there.
    @Test func theBuildSeesWhatItCopiesAndNoSecrets() throws {
        let image = try Repository.text("deploy/Dockerfile")
        let copied = Set(image.matches(of: #/(?m)^COPY ([A-Za-z.]+) /#).map { String($0.1) })
        let ignore = try Repository.text("deploy/Dockerfile.dockerignore")
        #expect(ignore.contains("\n*\n"))
        #expect(Set(ignore.matches(of: /(?m)^!(.+)$/).map { String($0.1) }) == copied)
        for name in copied { #expect(FileManager.default.fileExists(atPath: Repository.url(name).path()), "\(name)") }
        let named = Set(
            try Repository.text("Package.swift").matches(of: /"((?:Sources|Tests)\/)/).map { $0.1.dropLast() })
        #expect(named.allSatisfy { copied.contains(String($0)) })
    }

    /// Versions that have to agree: the compiler of the image and the one bin/setup asks for.
    @Test func theImageIsBuiltWithTheSwiftThatIsNeeded() throws {
        let needed = try #require(try Repository.text("bin/setup").firstMatch(of: /needed=([0-9.]+)/)?.1)
        #expect(try Repository.text("deploy/Dockerfile").contains("FROM swift:\(needed)-bookworm AS build"))
        #expect(try Repository.text("Package.swift").hasPrefix("// swift-tools-version: \(needed)\n"))
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
    func aWordThatComposeDoesNotKnowWouldBeSeen() async throws {
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
    func aWordThatKubernetesDoesNotKnowWouldBeSeen() async throws {
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
            // In a pod they lie below /run/secrets, which only its own user sees.
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

    /// Names that one file gives and another uses.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func whatAPodRefersToIsThere() async throws {
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
        // A worker is stopped no sooner than its posts are answered.
        #expect(try Repository.text("deploy/kubernetes/deployment.yaml").contains("terminationGracePeriodSeconds: 90"))
    }
}
