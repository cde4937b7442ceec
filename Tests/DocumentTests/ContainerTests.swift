import Foundation
import Postgres
import PostgresServer
import ProgramSupport
import TestSupport
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
        let copied = Set(image.matches(of: #/(?m)^COPY ([A-Za-z.\/]+) /#).map { String($0.1) })
        let ignore = try Repository.text("\(file).dockerignore")
        #expect(ignore.contains("\n*\n"))
        #expect(Set(ignore.matches(of: /(?m)^!(.+)$/).map { String($0.1) }) == copied)
        for name in copied { #expect(FileManager.default.fileExists(atPath: Repository.url(name).path()), "\(name)") }
        let package = try Repository.text("Package.swift")
        let named = Set(package.matches(of: /"((?:Sources|Tests)\/)/).map { $0.1.dropLast() })
        #expect(named.allSatisfy { copied.contains(String($0)) })
        #expect(copied.contains("Plugins") == package.contains(".plugin("))
    }

    /// The compiler of the image is the one that bin/setup asks for.
    @Test(arguments: dockerfiles)
    func theImageIsBuiltWithTheSwiftThatIsNeeded(file: String) throws {
        let needed = try #require(try Repository.text("bin/setup").firstMatch(of: /needed=([0-9.]+)/)?.1)
        #expect(try Repository.text(file).contains("\nARG SWIFT_IMAGE=swift:\(needed)-bookworm\n"))
        #expect(try Repository.text("Package.swift").hasPrefix("// swift-tools-version: \(needed)\n"))
    }

    /// Both base images can be given by digest, and no Swift package has a version that is not committed.
    @Test(arguments: dockerfiles)
    func anImageCanBeBuiltAgain(file: String) throws {
        let image = try Repository.text(file)
        let bases = image.matches(of: /(?m)^FROM (\S+)/).map { String($0.1) }
        #expect(bases == ["${SWIFT_IMAGE}", "${RUNTIME_IMAGE}"])
        #expect(image.contains("\nRUN bin/versions --pin && swift package resolve --force-resolved-versions\n"))
        #expect(image.contains("RUN swift build -c release --product "))
        #expect(image.contains(/--static-swift-stdlib --force-resolved-versions \\\n/))
        let page = try Repository.text("docs/install.md")
        let given = try Repository.text("deploy/compose.yaml").matches(of: /\$\{([A-Z]+_IMAGE):-/).map { String($0.1) }
        #expect(given == ["POSTGRES_IMAGE", "PROMETHEUS_IMAGE", "GRAFANA_IMAGE"])
        for name in given + ["SWIFT_IMAGE", "RUNTIME_IMAGE"] { #expect(page.contains(name), "\(name)") }
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
            for match in try Repository.text("deploy/kubernetes/\(file)").matches(of: /image: (\S+)/) {
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
        // Of KEDA's kinds Kubernetes itself knows nothing: `kedaKnowsEveryWord`.
        let files = try Repository.files(in: "deploy/kubernetes").filter { $0 != "scaledobject.yaml" }
            .map { "deploy/kubernetes/\($0)" }
        #expect(files.allSatisfy { $0.hasSuffix(".yaml") } && files.count >= 8)
        let ended = try await Tool.kubernetes(["-k", version, "--strict"] + files)
        #expect(ended.status == 0, "\(ended)")
        let resources = try files.map { try Repository.text($0).matches(of: #/(?m)^kind:/#).count }.reduce(0, +)
        #expect(ended.output.matches(of: /passed for resource/).count == resources, "\(ended)")
    }

    @Test(.enabled(if: Tool.kubernetes.isExpected, Tool.advice))
    func anUnknownWordForKubernetesIsFound() async throws {
        let folder = try Folder()
        let wrong = try Repository.text("deploy/kubernetes/drain.yaml").replacing("backoffLimit", with: "backofLimit")
        #expect(try await Tool.kubernetes(["--strict", try folder.write(wrong, to: "drain.yaml")]).status == 1)
    }

    /// The Secrets by name, each with its files.
    private static func secrets() async throws -> [String: [String: String]] {
        var secrets: [String: [String: String]] = [:]
        for document in try await YAML.read("deploy/kubernetes/secret.example.yaml") {
            let name = try #require((document["metadata"] as? [String: Any])?["name"] as? String)
            secrets[name] = document["stringData"] as? [String: String]
        }
        return secrets
    }

    /// Each pod mounts the one Secret that it needs: only the migration that of the owner, only workers the hubs' keys.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func aPodHasNoSecretOfAnother() async throws {
        let expected = [
            "deployment.yaml": "fanfare-worker", "drain.yaml": "fanfare-worker", "migrate.yaml": "fanfare-owner",
            "enqueue.yaml": "fanfare-enqueue", "campaign.yaml": "fanfare-campaign",
            "console.yaml": "fanfare-console",
        ]
        let scaler = "fanfare-scaler"  // of no pod of ours: KEDA reads it
        for file in try Repository.files(in: "deploy/kubernetes") {
            let mounted = try Repository.text("deploy/kubernetes/\(file)").matches(of: /secretName: ([a-z-]+)/)
            #expect(mounted.map { String($0.1) } == [expected[file]].compactMap(\.self), "\(file)")
        }
        let secrets = try await Self.secrets()
        #expect(Set(secrets.keys) == Set(expected.values).union([scaler]))
        let withKeys = secrets.filter { $0.value.keys.contains { $0.hasPrefix("hubs-") } }.map(\.key)
        #expect(withKeys == ["fanfare-worker"])
        #expect(Set(secrets.values.compactMap { $0["database-url"] }).count == 5)
    }

    /// The settings of the ConfigMap with the credentials of each Secret, as a pod sees them.
    @Test(
        .enabled(if: Tool.yaml.isExpected, Tool.advice),
        arguments: [
            "fanfare-owner", "fanfare-worker", "fanfare-enqueue", "fanfare-campaign", "fanfare-console",
            "fanfare-scaler",
        ])
    func aPodFindsItsSettingsAndItsSecrets(name: String) async throws {
        let folder = try Folder()
        let settings = try await YAML.read("deploy/kubernetes/config.yaml")
        let data = try #require(settings[0]["data"] as? [String: String])
        for (name, text) in data { try folder.write(text, to: "etc/\(name)") }
        let secrets = try await Self.secrets()
        let values = try #require(secrets[name])
        for (name, text) in values {
            // In a pod they are below /run/secrets, which only its own user can read.
            #expect(chmod(try folder.write(text, to: "run/\(name)"), 0o600) == 0)
        }
        func run(_ arguments: String...) async throws -> Tool.Ended {
            try await Fanfare.tool(
                arguments, environment: ["CREDENTIALS_DIRECTORY": folder.path + "/run"],
                in: URL(filePath: folder.path + "/etc"))
        }

        /// Each secret is one that a setting is read from.
        func expectUse(of values: [String: String], in printed: Tool.Ended) {
            for name in values.keys {
                #expect(printed.output.contains("/run/\(name)"), "\(name) is not used: \(printed)")
            }
        }

        if name == "fanfare-worker" {
            let ended = try await run("config", "check")
            #expect(ended.status == 0, "\(ended)")
            #expect(!ended.errors.contains("warning"), "\(ended)")
            let printed = try await run("config", "print")
            #expect(printed.output.contains("breaking-news"))
            expectUse(of: values, in: printed)
        } else if name == "fanfare-console" {
            expectUse(
                of: values,
                in: try await run(
                    "config", "print", "--set", "console.pages=127.0.0.1:9470", "--set",
                    "hubs.news.connectionString=\(secrets["fanfare-worker"]?["hubs-news-connectionString"] ?? "")"))
        } else {
            // Gets as far as looking for the server, which is invented.
            let ended = name == "fanfare-owner" ? try await run("migrate", "up") : try await run("status")
            #expect(ended.status == 69 && ended.errors.contains("postgres.example"), "\(ended)")
        }
    }

    /// A policy names who may come in, and each pod that listens or connects has a policy.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyPodHasAPolicyAndNoneIsOpenToAll() async throws {
        var covered: Set<String> = []
        for policy in try await YAML.read("deploy/kubernetes/network.yaml") {
            let spec = try #require(policy["spec"] as? [String: Any])
            let selector = try #require(spec["podSelector"] as? [String: Any])
            let expressions = try #require(selector["matchExpressions"] as? [[String: Any]])
            covered.formUnion(expressions.flatMap { $0["values"] as? [String] ?? [] })
            #expect(spec["policyTypes"] as? [String] == ["Ingress", "Egress"])
            for rule in spec["ingress"] as? [[String: Any]] ?? [] {
                #expect((rule["from"] as? [Any])?.isEmpty == false)
            }
        }
        var components: Set<String> = []
        for file in try Repository.files(in: "deploy/kubernetes") {
            let text = try Repository.text("deploy/kubernetes/\(file)")
            components.formUnion(text.matches(of: /app.kubernetes.io\/component: ([a-z]+)/).map { String($0.1) })
        }
        #expect(components == covered)
    }

    /// What the init script of compose makes is enough for each service, and for no more than its work.
    @Test func theRolesOfComposeAreEnough() async throws {
        let server = try await TemporaryServer.start()
        let folder = try Folder()
        try await server.createDatabase("fanfare")
        let passwords = ["owner", "worker", "enqueue", "console"].map { "\($0)-password" }
        for name in passwords { try folder.write("it's \(name)\n".replacing("'", with: ""), to: name) }
        let admin = server.conninfo(database: "fanfare")
        let place = try #require(admin.firstMatch(of: /host='?([^' ]+)/)?.1)
        let ended = try await Tool("sh")(
            [Repository.url("deploy/compose.roles.sh").path()],
            environment: [
                "POSTGRES_USER": "postgres", "POSTGRES_DB": "fanfare", "PGHOST": String(place),
                "SECRETS_DIRECTORY": folder.path, "PATH": "/usr/bin:/bin",
            ])
        #expect(ended.status == 0, "\(ended)")
        let postgres = Database(DatabaseSettings(url: admin, maximumConnections: 1))
        #expect(
            try await postgres.query(
                "SELECT count(*) FROM pg_authid WHERE rolname LIKE 'fanfare%' AND rolpassword IS NOT NULL AND rolcanlogin"
            ) { try $0.single { try $0.int64() } } == 4)

        let emulator = try await TestWorker.make()
        let connection = emulator.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
        let settings = try folder.write(
            """
            {"hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}},
             "console": {"listen": "off"}}
            """, to: "config.json")
        func fanfare(_ role: String, _ arguments: [String]) async throws -> BuiltProgram.Ended {
            var program = BuiltProgram(settings: settings)
            program.environment = ["FANFARE_DATABASE_URL": admin + " user=fanfare_\(role)"]
            return try await program.run(arguments)
        }
        let enqueue = ["enqueue", "--hub", "news", "--tag", "World", "--property", "message=hi"]
        let migrated = try await fanfare("owner", ["migrate", "up"])
        #expect(migrated.status == 0, "\(migrated)")
        let enqueued = try await fanfare("enqueue", enqueue)
        #expect(enqueued.status == 0, "\(enqueued)")
        let drained = try await fanfare("worker", ["drain"])
        #expect(drained.status == 0 && emulator.taken.count == 1, "\(drained)")

        #expect(try await fanfare("worker", enqueue).status == 77)
        #expect(try await fanfare("enqueue", ["drain"]).status == 77)
        await postgres.close()
        await server.stop()
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
