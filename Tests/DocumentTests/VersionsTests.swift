import Foundation
import ProgramSupport
import Testing

/// deploy/versions.txt: a build of this version uses these Swift packages and no others.
@Suite struct VersionsTests {
    private func versions(_ arguments: String..., resolved: String? = nil) async throws -> Tool.Ended {
        try await Tool(Repository.url("bin/versions").path(), check: ["--help"])(
            arguments, environment: resolved.map { ["RESOLVED": $0] } ?? [:])
    }

    @Test func theCommittedVersionsAreThoseOfThisBuild() async throws {
        let ended = try await versions("--check")
        #expect(ended.status == 0, "\(ended) To accept them: bin/versions --write")
    }

    @Test func whatPackageSwiftAsksForIsAmongThem() throws {
        let list = try Repository.text("deploy/versions.txt")
        let asked = try Repository.text("Package.swift").matches(of: /url: "[^"]+\/([a-z0-9-]+)", exact: "([0-9.]+)"/)
        #expect(asked.count >= 7)
        for package in asked {
            #expect(list.contains("\n\(package.1) \(package.2) "), "\(package.1) \(package.2)")
        }
    }

    @Test func pinningMakesTheSamePins() async throws {
        let folder = try Folder()
        let path = folder.path + "/Package.resolved"
        #expect(try await versions("--pin", resolved: path).status == 0)
        #expect(try await versions("--check", resolved: path).status == 0)
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.url("Package.resolved")))
        let pins = try #require((document as? [String: Any])?["pins"] as? [[String: Any]])
        #expect(pins.count >= 11)
        #expect(pins.allSatisfy { $0["kind"] as? String == "remoteSourceControl" })
        withExtendedLifetime(folder) {}
    }

    @Test func anotherVersionIsFound() async throws {
        let folder = try Folder()
        let path = folder.path + "/Package.resolved"
        #expect(try await versions("--pin", resolved: path).status == 0)
        let other = try folder.read("Package.resolved").replacing(
            /"version" : "[0-9.]+"\n/, with: "\"version\" : \"0.0.1\"\n")
        try folder.write(other, to: "Package.resolved")
        let ended = try await versions("--check", resolved: path)
        #expect(ended.status == 1 && ended.output.contains("0.0.1"))
    }
}
