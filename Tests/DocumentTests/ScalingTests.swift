import Foundation
import ProgramSupport
import Testing
import VectorSupport

/// deploy/kubernetes/scaledobject.yaml: KEDA asks the database how many workers there should be. The words that KEDA knows
/// are in Tests/Vectors/keda.schema.json, from its custom resource definitions and its scaler postgresql; no cluster is needed.
@Suite struct ScalingTests {
    private static let file = "deploy/kubernetes/scaledobject.yaml"

    /// - Returns: how the linter ended.
    private static func lint(_ document: [String: Any], in folder: Folder) async throws -> Tool.Ended {
        let data = try JSONSerialization.data(withJSONObject: document)
        let path = try folder.write(String(decoding: data, as: UTF8.self), to: "document.json")
        let schema = Vectors.url("keda.schema.json").path()
        return try await Tool.schemas(["--schemafile", schema, path])
    }

    @Test(.enabled(if: Tool.schemas.isExpected && Tool.yaml.isExpected, Tool.advice))
    func kedaKnowsEveryWord() async throws {
        let folder = try Folder()
        let documents = try await YAML.read(Self.file)
        #expect(documents.compactMap { $0["kind"] as? String } == ["ScaledObject", "TriggerAuthentication"])
        for document in documents {
            let ended = try await Self.lint(document, in: folder)
            #expect(ended.status == 0, "\(ended)")
            for (word, wrong) in [("spec", "specs"), ("kind", "kinds")] {
                var document = document
                document[wrong] = document.removeValue(forKey: word)
                #expect(try await Self.lint(document, in: folder).status != 0, "\(wrong)")
            }
            var spec = try #require(document["spec"] as? [String: Any])
            spec["minReplicas"] = 2  // as an autoscaler of Kubernetes calls it
            var document = document
            document["spec"] = spec
            #expect(try await Self.lint(document, in: folder).status != 0)
        }
    }

    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func itsNamesExistAndItsNumbersFit() async throws {
        let documents = try await YAML.read(Self.file)
        let spec = try #require(documents[0]["spec"] as? [String: Any])
        func name(of document: [String: Any]) -> String? {
            (document["metadata"] as? [String: Any])?["name"] as? String
        }
        func name(_ value: Any?) -> String? { (value as? [String: Any])?["name"] as? String }
        let deployments = try await YAML.read("deploy/kubernetes/deployment.yaml")
        #expect(deployments.map(name(of:)) == [name(spec["scaleTargetRef"])])
        let trigger = try #require((spec["triggers"] as? [[String: Any]])?.first)
        #expect(name(trigger["authenticationRef"]) == name(of: documents[1]))
        let secrets = try await YAML.read("deploy/kubernetes/secret.example.yaml")
        let references = (documents[1]["spec"] as? [String: Any])?["secretTargetRef"] as? [[String: Any]] ?? []
        #expect(references.count == 1)
        for reference in references {
            let secret = try #require(secrets.first { name(of: $0) == reference["name"] as? String })
            let key = try #require(reference["key"] as? String)
            #expect((secret["stringData"] as? [String: String])?[key] != nil)
        }
        // The number stops at 10,000: beyond that no worker would be added.
        let target = try #require((trigger["metadata"] as? [String: String])?["targetQueryValue"].flatMap(Int.init))
        let most = try #require(spec["maxReplicaCount"] as? Int)
        let fewest = try #require(spec["minReplicaCount"] as? Int)
        #expect(fewest >= 1 && fewest < most && most * target <= 10_000)
        #expect(try Repository.text(Self.file).contains("A hub has one quota"))
    }

    /// With the role that its Secret names, and with no other right.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func itsQueryIsOneNumberForAMonitor() async throws {
        let documents = try await YAML.read(Self.file)
        let triggers = (documents[0]["spec"] as? [String: Any])?["triggers"] as? [[String: Any]]
        let query = try #require((triggers?.first?["metadata"] as? [String: String])?["query"])
        let shop = try await Shop.open()
        try await shop.worker.enqueue(3)
        let ended = try await shop.psql("\\pset tuples_only\n\\pset format unaligned\n\(query);", as: shop.monitor)
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.split(separator: "\n").last == "3", "\(ended)")
    }
}
