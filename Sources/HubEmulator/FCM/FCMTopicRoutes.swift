import Foundation
import HTTPTypes

/// Subscriptions of phones to topics: `/iid/v1:batchAdd` and `:batchRemove`, and `/v1/projects/{project}/registrations/…`.
struct FCMTopicRoutes: Sendable {
    let grants: FCMGrants
    let feed: PushFeed

    /// Up to 1,000 phones and one topic.
    func change(_ request: EmulatorRequest, _ body: UploadedBody, isOn: Bool) -> Response {
        func problem(_ status: Int, _ text: String) -> Response { FCMJSON.response(["error": text], status: status) }
        guard request[.accessTokenAuth]?.lowercased() == "true" else {
            return problem(401, "The header access_token_auth: true is missing.")
        }
        let grant: AccessTokens.Grant
        do throws(FCMError) { grant = try grants.grant(of: request) } catch {
            return problem(error.status, error.message)
        }
        guard let bytes = body.bytes,
            let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any],
            let path = object["to"] as? String, let tokens = object["registration_tokens"] as? [String]
        else { return problem(400, "The body is {\"to\": \"/topics/NAME\", \"registration_tokens\": [...]}.") }
        let name = path.hasPrefix("/topics/") ? String(path.dropFirst("/topics/".count)) : path
        guard FCMTopic.isValid(name) else { return problem(400, "InvalidTopicName") }
        guard (1...BatchBody.handleLimit).contains(tokens.count) else {
            return problem(400, "A call takes 1 to \(BatchBody.handleLimit) tokens, not \(tokens.count).")
        }
        let results = grant.hub.subscribe(tokens, to: name, isOn: isOn).map { $0.map { ["error": $0] } ?? [:] }
        feed.wakeWaiters()
        return FCMJSON.response(["results": results])
    }

    /// One phone and one topic: `POST` subscribes, `DELETE` ends that.
    func change(_ request: EmulatorRequest, project: String, token: String, topic: String?) -> Response {
        do throws(FCMError) {
            guard request.method == .post || request.method == .delete else {
                throw FCMError(status: 404, message: "This address takes POST and DELETE.")
            }
            let hub = try grants.sender(of: request, project)
            guard let topic, FCMTopic.isValid(topic) else {
                throw .invalid("topic_name", "Invalid topic name: it has letters, digits, -, _, ., ~ and %.")
            }
            let isOn = request.method == .post
            guard hub.isSubscribed(token, to: topic) != isOn || request.isOn("allow_missing") else {
                throw isOn
                    ? FCMError(status: 409, message: "The phone has the topic already.")
                    : FCMError(status: 404, message: "The phone does not have the topic.")
            }
            switch hub.subscribe([token], to: topic, isOn: isOn)[0] {
            case nil: break
            case "NOT_FOUND": throw .unregistered
            case "INTERNAL": throw TokenRule.unavailable.error(field: "token")
            case "RESOURCE_EXHAUSTED", "TOO_MANY_TOPICS":
                throw FCMError(status: 429, message: "Too many topics or phones.", code: "QUOTA_EXCEEDED")
            default: throw TokenRule.notAToken("token")
            }
            feed.wakeWaiters()
            let name = "projects/\(project)/registrations/\(token)/topicSubscriptions/\(topic)"
            return FCMJSON.response(isOn ? ["name": name] : [:])
        } catch {
            return error.response
        }
    }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let accessTokenAuth = HTTPField.Name("access_token_auth")!
}
