import Foundation
import HTTPTransport
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

@Suite struct InstallationsTests {
    private static let document = #"{"installationId":"inst-1","platform":"apns","pushChannel":"00FF"}"#

    private func installations(_ hub: String = "myhub") throws -> Installations {
        try Installations(
            connection: try ConnectionString(
                parsing: "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=sender;SharedAccessKey=k"),
            hub: hub, version: "1.2.3")
    }

    private func request(_ operation: String) throws -> Request? {
        let installations = try installations()
        let pass = TestHub.pass()
        switch operation {
        case "get_installation": return try installations.request(get: "inst-1", with: pass)
        case "put_installation":
            return try installations.request(
                put: InstallationDocument(json: Self.document.utf8), with: pass)
        case "patch_installation":
            return try installations.request(
                patch: InstallationPatch(checking: [.addTag("bar")]), of: "inst-1", with: pass)
        case "delete_installation": return try installations.request(delete: "inst-1", with: pass)
        default: return nil
        }
    }

    @Test func everyRequestOfTheVectorsIsBuiltAsWritten() throws {
        struct File: Decodable {
            struct Case: Decodable {
                struct Input: Decodable { let op: String }
                struct Expectation: Decodable {
                    let method: String
                    let url: String
                    let headers: [String: String]
                    let success: [Int]
                }
                let id: String
                let input: Input
                let expect: Expectation
            }
            let cases: [Case]
        }
        var checked = 0
        for vector in try Vectors.read("requests", as: File.self).cases {
            guard let request = try request(vector.input.op) else { continue }
            #expect(request.method.rawValue == vector.expect.method, "\(vector.id)")
            #expect(request.url == vector.expect.url, "\(vector.id)")
            let sent = request.shownHeaders
            for (name, value) in vector.expect.headers {
                #expect(sent.contains { $0.name == name && $0.value == value }, "\(vector.id) \(name)")
            }
            for status in vector.expect.success where status != 404 {
                #expect(try installations().answer(to: TestHub.reply(status)).verdict == .accepted, "\(vector.id)")
            }
            checked += 1
        }
        #expect(checked == 4)
    }

    @Test func aPatchIsTheJSONTheServiceDocuments() throws {
        let patch = try InstallationPatch(checking: [.addTag("bar"), .removeTag("foo")])
        #expect(
            String(decoding: patch.json, as: UTF8.self)
                == #"[{"op":"add","path":"/tags","value":"bar"},{"op":"remove","path":"/tags/foo"}]"#)
        #expect(try InstallationPatch(checking: patch.json) == patch)
    }

    @Test(arguments: [
        ("{}", "it must be a JSON array of operations"), ("[]", "there is no change"),
        ("[1]", "[0]: it must be an object"),
        (#"[{"op": "move", "path": "/tags", "value": "a"}]"#, "[0].op: it must be one of add, remove, replace"),
        (#"[{"op": "add", "path": "/tags"}]"#, "[0].value: it must be a text"),
        (
            #"[{"op": "add", "path": "/templates/t", "value": {"body": "{}"}}]"#,
            "[0].value: it must be a text; a template is given as its JSON text"
        ),
        (#"[{"op": "remove"}]"#, "[0].path: it must be a text that begins with a slash"),
        (#"[{"op": "add", "path": "/installationId", "value": "x"}]"#, "[0].path: it must be one of /pushChannel"),
        (#"[{"op": "remove", "path": "/tags/"}]"#, "[0].path: it must be one of /pushChannel"),
        (#"[{"op": "add", "path": "/tags", "value": "a b"}]"#, "[0].value: character 2"),
        (
            #"[{"op": "add", "path": "/tags", "value": "a", "from": "/x"}]"#,
            "[0].from: it is unknown: an operation has op, path and value"
        ),
    ])
    func anInvalidPatchNamesItsOperation(json: String, words: String) throws {
        let error = #expect(throws: InvalidInstallation.self) { try InstallationPatch(checking: json.utf8) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("a b/../c?d#e", "a%20b%2f..%2fc%3fd%23e"), ("ü", "%c3%bc"), ("...", "..."), ("%41", "%2541"),
    ])
    func anIdStaysInItsPlaceInTheURL(id: String, encoded: String) throws {
        let request = try installations().request(get: id, with: TestHub.pass())
        #expect(
            request.url
                == "https://contoso.servicebus.windows.net/myhub/installations/\(encoded)?api-version=2020-06")
    }

    @Test(arguments: ["", ".", "..", "a\nb", "a\u{0}"])
    func anIdThatAURLCannotHoldIsRefused(id: String) throws {
        #expect(throws: InvalidInstallation.self) { try installations().request(delete: id, with: TestHub.pass()) }
    }

    @Test func aPageIsRequestedByItsToken() throws {
        let first = try installations("a b").request(registrations: 1000, after: nil, with: TestHub.pass())
        #expect(
            first.url == "https://contoso.servicebus.windows.net/a%20b/registrations?api-version=2020-06&$top=100")
        let next = try installations().request(registrations: 0, after: "a+b=&c", with: TestHub.pass())
        #expect(next.url.hasSuffix("/registrations?api-version=2020-06&$top=1&ContinuationToken=a%2bb%3d%26c"))
    }

    @Test func thePageOfATagHasItInItsPath() throws {
        let plain = try installations("a b").request(registrations: 7, of: "World", after: nil, with: TestHub.pass())
        #expect(
            plain.url
                == "https://contoso.servicebus.windows.net/a%20b/tags/World/registrations?api-version=2020-06&$top=7")
        let odd = try installations().request(registrations: 1, of: "$UserId:{a#b@c}", after: "t", with: TestHub.pass())
        #expect(
            odd.url.hasSuffix(
                "/tags/%24UserId%3a%7ba%23b%40c%7d/registrations?api-version=2020-06&$top=1&ContinuationToken=t"))
    }

    @Test func theTokenIsNeverPrinted() throws {
        let request = try installations().request(get: "i", with: TestHub.pass(), tracking: "t-1")
        #expect(request.shownHeaders.contains { $0 == ("Authorization", "SharedAccessSignature •••") })
        #expect(request.shownHeaders.contains { $0 == ("TrackingId", "t-1") })
        #expect(request.shownHeaders.contains { $0 == ("User-Agent", "fanfare/1.2.3") })
        #expect(!request.shownHeaders.contains { $0.value.isEmpty })
    }

    @Test func aMissingInstallationIsNotAMissingHub() throws {
        func answer(_ detail: String) throws -> InstallationAnswer {
            try installations().answer(
                to: TestHub.reply(404, body: "<Error><Code>404</Code><Detail>\(detail)</Detail></Error>"))
        }
        #expect(try answer("Installation not found.TrackingId:x,TimeStamp:y").isMissing)
        let none = try answer("No service is hosted at the specified address.")
        #expect(!none.isMissing)
        guard case .hubNotFound = none.verdict else {
            Issue.record("\(none.verdict)")
            return
        }
    }

    @Test func aListHasTheTokenOfItsNextPage() throws {
        let more = TestHub.reply(200, [("X-MS-ContinuationToken", "next")], body: "<feed/>")
        #expect(try installations().answer(to: more).continuation == "next")
        #expect(try installations().answer(to: TestHub.reply(200, body: "<feed/>")).continuation == nil)
    }

    @Test func aRefusedKeyIsNotTheFaultOfTheInstallation() throws {
        let answer = try installations().answer(to: TestHub.reply(401))
        #expect(answer.verdict == .authExpired(because: "hub replied 401"))
    }
}
