import Testing
import VectorSupport

@testable import Signing

@Suite struct ConnectionStringTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Expectation: Decodable {
                let ok: Bool
                let httpsBase: String?
                let keyName: String?
                let key: String?
                let reason: String?
            }
            let id: String
            let input: String
            let expect: Expectation
            let entityPath: String?
        }
        let cases: [Case]
    }

    private func parse(_ text: String) -> Result<ConnectionString, ConnectionStringError> {
        Result { () throws(ConnectionStringError) in try ConnectionString(parsing: text) }
    }

    @Test func everyVectorIsParsedOrRefusedForTheStatedReason() throws {
        let cases = try Vectors.read("connection_strings", as: File.self).cases
        #expect(cases.count == 20)
        for vector in cases {
            switch parse(vector.input) {
            case .success(let connection):
                #expect(vector.expect.ok, "\(vector.id)")
                #expect(connection.base == vector.expect.httpsBase, "\(vector.id)")
                #expect(connection.keyName == vector.expect.keyName, "\(vector.id)")
                #expect(connection.key.reveal() == vector.expect.key, "\(vector.id)")
                #expect(connection.entityPath == vector.entityPath, "\(vector.id)")
            case .failure(let error):
                #expect(error.description == vector.expect.reason, "\(vector.id)")
            }
        }
    }

    @Test(arguments: [
        ("SB://Contoso.ServiceBus.Windows.NET", "https://contoso.servicebus.windows.net"),
        ("sb://contoso.example:5671//", "https://contoso.example:5671"),
        ("http://localhost:8099", "http://localhost:8099"), ("http://127.0.0.1/", "http://127.0.0.1"),
        ("http://127.1.2.3:1/", "http://127.1.2.3:1"), ("http://[::1]:8099/", "http://[::1]:8099"),
        ("https://[2001:db8::1]:443/", "https://[2001:db8::1]:443"),
    ])
    func theEndpointBecomesABase(endpoint: String, base: String) throws {
        let connection = try ConnectionString(
            parsing: "Endpoint=\(endpoint);SharedAccessKeyName=P;SharedAccessKey=k")
        #expect(connection.base == base)
    }

    @Test(arguments: [
        ("http://contoso.example/", ConnectionStringError.plainHTTP), ("http://127.0.0.1.evil.example/", .plainHTTP),
        ("http://1270.0.0.1/", .plainHTTP), ("http://localhost.evil.example/", .plainHTTP),
        ("http://127.0.0.1@evil.example/", .endpointForm), ("http://[::2]/", .plainHTTP),
        ("ftp://contoso.example/", .endpointScheme), ("contoso.example", .endpointForm), ("sb://", .endpointForm),
        ("sb://contoso.example/path", .endpointForm), ("sb://contoso.example?x", .endpointForm),
        ("sb://user@contoso.example/", .endpointForm), ("sb://contoso.example:port/", .endpointForm),
        ("sb://contoso.example:0/", .endpointForm), ("sb://contoso.example:65536/", .endpointForm),
        ("sb://contoso.example:/", .endpointForm), ("sb://contoso example/", .endpointForm),
        ("sb://contoso.example\r\nX: y", .endpointForm), ("sb://[::1/", .endpointForm), ("sb://::1/", .endpointForm),
    ])
    func anEndpointThatIsNotAHubIsRefused(endpoint: String, error: ConnectionStringError) {
        #expect(parse("Endpoint=\(endpoint);SharedAccessKeyName=P;SharedAccessKey=k") == .failure(error))
    }

    @Test func noErrorEverQuotesTheInput() {
        let parts = ["Endpoint=ftp://geheim/geheim", "SharedAccessKeyName=geheim", "SharedAccessKey=geheim", "geheim"]
        let long = "SharedAccessKey=" + String(repeating: "geheim", count: 50)
        let start = "Endpoint=sb://geheim/;SharedAccessKeyName=geheim;"
        for text in parts + [parts.joined(separator: ";"), start, start + long, "Endpoint=http://geheim/;" + start] {
            guard case .failure(let error) = parse(text) else {
                Issue.record("parsed")
                continue
            }
            var printed = "\(error) \(String(reflecting: error))"
            dump(error, to: &printed)
            #expect(!printed.contains("geheim"))
        }
    }

    @Test func theEntityPathSuppliesTheHubOrMustAgree() throws {
        let silent = try ConnectionString(parsing: "Endpoint=sb://h/;SharedAccessKeyName=P;SharedAccessKey=k")
        let named = try ConnectionString(
            parsing: "Endpoint=sb://h/;SharedAccessKeyName=P;SharedAccessKey=k;EntityPath=News")
        #expect(try silent.hub(configured: nil) == nil)
        #expect(try silent.hub(configured: "sport") == "sport")
        #expect(try named.hub(configured: nil) == "News")
        #expect(try named.hub(configured: "news") == "news")
        #expect(throws: ConnectionStringError.otherHub) { try named.hub(configured: "sport") }
    }

    @Test func anEntityPathIsCheckedLikeTheOthers() {
        let start = "Endpoint=sb://h/;SharedAccessKeyName=P;SharedAccessKey=k;"
        #expect(parse(start + "EntityPath= ") == .failure(.emptyValue(.entityPath)))
        #expect(parse(start + "EntityPath=a;entitypath=a") == .failure(.duplicate(.entityPath)))
        let long = String(repeating: "h", count: 261)
        #expect(parse(start + "EntityPath=\(long)") == .failure(.tooLong(.entityPath, limit: 260)))
    }

    @Test func unknownPartsAreIgnored() throws {
        let connection = try ConnectionString(
            parsing: " ; TransportType=Amqp; Endpoint = sb://h/ ; SharedAccessKeyName = P ;SharedAccessKey = k ;; ")
        #expect(connection.base == "https://h" && connection.keyName == "P" && connection.key == Secret("k"))
    }
}
