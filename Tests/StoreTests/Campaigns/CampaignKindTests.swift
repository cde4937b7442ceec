import Postgres
import Store
import TestSupport
import Testing

/// Campaigns for hubs of kind `fcm`: tags and expressions reach topics, lists and views reach tokens.
@Suite(.timeLimit(.minutes(10))) struct CampaignKindTests {
    static let content = #""format": "fcmv1", "content": {"": {"message": {"notification": {"title": "hi"}}}}"#

    static func make() async throws -> TestDatabase {
        let store = try await FCMRowTests.make()
        return store.test
    }

    static func create(_ spec: String, in test: TestDatabase) async throws {
        try await test.database.execute("SELECT push.create_campaign('spring', \(spec)::json)")
    }

    @Test(arguments: [
        (
            #"{"hubs": ["shop"], "audience": {"tags": ["a"]}, "content": {"": {"title": "hi"}}}"#,
            "format is \"template\", and hub shop is FCM"
        ),
        (
            "{\"hubs\": [\"shop\"], \"audience\": {\"tags\": [\"a\"]}, \(content)}",
            "audience.tags names tags, and hub shop is FCM and has none"
        ),
        (
            "{\"hubs\": [\"shop\"], \"audience\": {\"expression\": \"a && b\"}, \(content)}",
            "audience.expression names tags, and hub shop is FCM and has none"
        ),
        (
            "{\"hubs\": [\"topics\"], \"audience\": {\"tags\": [\"Tech\", \"lang:fr\"]}, \(content)}",
            "audience.tags has \"lang:fr\", which is no topic of FCM: \"lang:fr\" at character 1 is a tag and no topic"
        ),
        (
            "{\"hubs\": [\"topics\"], \"audience\": {\"expression\": \"a || b || c || d || e || f\"}, \(content)}",
            "audience.expression has \"a || b || c || d || e || f\", which is no topic of FCM: it has 6 topics, 5 are allowed"
        ),
        (
            "{\"hubs\": [\"shop\"], \"audience\": {\"broadcast\": true}, \(content)}",
            "audience.broadcast has no topic on hub shop"
        ),
        (
            "{\"hubs\": [\"topics\"], \"headers\": {\"apns-priority\": \"5\"}, \"audience\": {\"tags\": [\"a\"]}, \(content)}",
            "headers are given, and hub topics is FCM, which takes none"
        ),
        (
            "{\"hubs\": [\"news\", \"topics\"], \"audience\": {\"tags\": [\"lang:fr\"]}, \(content)}",
            "audience.tags has \"lang:fr\", which is no topic of FCM: \"lang:fr\" at character 1 is a tag and no topic"
        ),
    ])
    func aSpecIsRefusedForAHubThatCannot(spec: String, message: String) async throws {
        let test = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) { try await Self.create(spec, in: test) }
        #expect(error?.message == message)
        #expect(error?.hint?.isEmpty == false)
    }

    @Test(arguments: [
        #"{"tags": ["Tech", "news-%20~x.y_z"]}"#, #"{"expression": "a || b && !c"}"#, #"{"broadcast": true}"#,
    ])
    func topicsAreReachedByTagsExpressionsAndBroadcasts(audience: String) async throws {
        let test = try await Self.make()
        try await Self.create("{\"hubs\": [\"topics\"], \"audience\": \(audience), \(Self.content)}", in: test)
    }
}
