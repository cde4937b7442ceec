import HTTPTransport
import PushModel
import Signing
import Testing

@testable import Providers

@Suite struct FCMTests {
    @Test func aRequestHasTheURLAndTheHeadersOfTheService() throws {
        let request = try TestFCM.fcm().request(for: TestFCM.post(), id: 7, with: TestFCM.pass())
        #expect(request.id == 7 && request.method == .post && request.headers.isEmpty)
        #expect(request.url == "https://fcm.googleapis.com/v1/projects/example-project/messages:send")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"message":{"token":"t"}}"#)
        let lines = try PassHeaders(others: []).lines(for: TestFCM.pass())
        #expect(lines.map(\.value) == ["Bearer ya29.a"])
        let shown = request.shownHeaders.map { "\($0.name): \($0.value)" }
        #expect(
            shown == [
                "Authorization: Bearer •••", "Content-Type: application/json", "X-GOOG-API-FORMAT-VERSION: 2",
                "User-Agent: fanfare/1.2.3",
            ])
    }

    @Test func aValidationDeliversNothing() throws {
        let request = try TestFCM.fcm().testRequest(for: TestFCM.post(to: .tag("a")), id: 7, with: TestFCM.pass())
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"validate_only":true,"message":{"topic":"a"}}"#)
    }

    @Test func aPostBringsItsExpiry() throws {
        let post = TestFCM.post(expiresAt: TestFCM.now + 30)
        let body = try TestFCM.fcm().request(for: post, id: 1, with: TestFCM.pass()).body
        #expect(String(decoding: body, as: UTF8.self).contains(#""ttl":"30s""#))
    }

    @Test func requestsWithOnePassShareTheirHeaders() throws {
        let fcm = try TestFCM.fcm()
        func shared(_ target: Target, _ pass: Pass) throws -> ObjectIdentifier {
            ObjectIdentifier(try fcm.request(for: TestFCM.post(to: target), id: 1, with: pass).shared)
        }
        let first = try fcm.request(for: TestFCM.post(), id: 1, with: TestFCM.pass())
        #expect(try shared(.tag("a"), TestFCM.pass()) == ObjectIdentifier(first.shared))
        #expect(try shared(.tag("a || b"), TestFCM.pass()) == ObjectIdentifier(first.shared))
        let fresh = try fcm.request(for: TestFCM.post(), id: 1, with: TestFCM.pass(4, token: "ya29.b"))
        #expect(fresh.shared !== first.shared)
    }

    @Test func aPostThatIsNotForFCMIsRefused() throws {
        let fcm = try TestFCM.fcm()
        func error(_ post: Post) -> InvalidPost? {
            do throws(InvalidPost) {
                _ = try fcm.request(for: post, id: 1, with: TestFCM.pass())
                return nil
            } catch {
                return error
            }
        }
        var post = TestFCM.post()
        post.format = "template"
        #expect(error(post) == .otherFormat)
        post = TestFCM.post()
        post.headers = [Post.Header(name: "apns-priority", value: "5")]
        #expect(error(post) == .headerNotAllowed(name: "apns-priority"))
        #expect(error(TestFCM.post(to: .broadcast)) == .noBroadcastTopic)
        #expect(error(TestFCM.post(content: "{}")) != nil)
    }

    @Test func anEmulatorOnLoopbackIsAnEndpoint() throws {
        let fcm = try TestFCM.fcm(project: "p:1/x", endpoint: "http://127.0.0.1:8099/")
        let request = try fcm.request(for: TestFCM.post(), id: 1, with: TestFCM.pass())
        #expect(request.url == "http://127.0.0.1:8099/v1/projects/p%3a1%2fx/messages:send")
        #expect(fcm.host == "127.0.0.1")
    }

    @Test func aHubThatFitsIntoNoRequestIsRefused() {
        func error(project: String = "p", endpoint: String = FCM.endpoint, topic: String? = nil) -> InvalidHub? {
            do throws(InvalidHub) {
                _ = try FCM(project: project, endpoint: endpoint, broadcastTopic: topic, now: { 0 })
                return nil
            } catch {
                return error
            }
        }
        #expect(error(project: "") == .project && error(project: "..") == .project)
        #expect(error(endpoint: "http://fcm.googleapis.com") == .endpoint(.plainHTTP))
        #expect(error(topic: "a b") == .broadcastTopic && error(topic: "all") == nil)
    }

    @Test func noPartOfItPrintsThePass() throws {
        let fcm = try TestFCM.fcm()
        let request = try fcm.request(for: TestFCM.post(), id: 1, with: TestFCM.pass(2, token: "SECRET"))
        var printed = "\(fcm) \(request) \(TestFCM.pass(2, token: "SECRET"))"
        dump(fcm, to: &printed)
        dump(request, to: &printed)
        #expect(!printed.contains("SECRET"))
    }
}
