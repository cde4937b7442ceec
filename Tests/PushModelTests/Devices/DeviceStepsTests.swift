import Testing

@testable import PushModel

@Suite struct DeviceStepsTests {
    private func put(_ id: Int64, tags: [String] = [], handle: String = "00") -> DeviceChange {
        let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return DeviceChange(
            id: id, action: .put, document: #"{"platform":"apns","handle":"\#(handle)","tags":[\#(list)]}"#)
    }

    private func patch(_ id: Int64, add: [String] = [], remove: [String] = [], more: String = "") -> DeviceChange {
        func list(_ tags: [String]) -> String { tags.map { "\"\($0)\"" }.joined(separator: ",") }
        return DeviceChange(
            id: id, action: .patch,
            document: #"{"add_tags":[\#(list(add))],"remove_tags":[\#(list(remove))]\#(more)}"#)
    }

    private func drop(_ id: Int64) -> DeviceChange { DeviceChange(id: id, action: .drop, document: "{}") }

    private func json(_ steps: DeviceSteps) -> [String] {
        steps.steps.map { step in
            switch step.content {
            case .put(let registration): "put \(String(decoding: registration.installation(id: "d"), as: UTF8.self))"
            case .patch(let patch): "patch \(String(decoding: patch.installationPatch.json, as: UTF8.self))"
            case .drop: "drop"
            }
        }
    }

    @Test func theNewestPutOrDropMakesWhatIsBeforeItNeedless() {
        let steps = DeviceSteps([put(1), patch(2, add: ["a"]), drop(3), put(4), patch(5, add: ["b"])])
        #expect(steps.superseded == [1, 2, 3])
        #expect(steps.steps.map(\.ids) == [[4], [5]])
        #expect(DeviceSteps([put(1), drop(2)]).steps.map(\.content) == [.drop])
    }

    @Test func aSupersededChangeNeedsNoDocument() {
        let steps = DeviceSteps([DeviceChange(id: 1, action: .put, document: nil), drop(2)])
        #expect(steps.superseded == [1])
        #expect(steps.unreadable.isEmpty)
    }

    @Test func patchesAreJoinedAndTheLaterOneCounts() {
        let steps = DeviceSteps([
            patch(1, add: ["World", "Sport"], more: #","handle":"aa","user_id":"7""#),
            patch(2, add: ["Science"], remove: ["world"], more: #","handle":"bb""#),
            patch(3, more: #","templates":{"n/e~w":{"body":"{}"},"old":null}"#),
        ])
        #expect(steps.superseded.isEmpty)
        #expect(steps.steps.map(\.ids) == [[1, 2, 3]])
        #expect(
            json(steps) == [
                #"patch [{"op":"remove","path":"/tags/world"},"#
                    + #"{"op":"add","path":"/templates/n~1e~0w","value":"{\"body\":\"{}\"}"},"#
                    + #"{"op":"remove","path":"/templates/old"},"#
                    + #"{"op":"replace","path":"/pushChannel","value":"bb"},"#
                    + #"{"op":"replace","path":"/userId","value":"7"},"#
                    + #"{"op":"add","path":"/tags","value":"Sport"},{"op":"add","path":"/tags","value":"Science"}]"#
            ])
    }

    @Test func aRegistrationIsAnInstallationOfTheService() {
        let change = DeviceChange(
            id: 1, action: .put,
            document: #"""
                {"platform":"browser","handle":"{\"endpoint\":\"https://x\",\"p256dh\":\"k\",\"auth\":\"a\"}",
                 "user_id":"7","tags":["a"],"templates":{"news":{"body":"{\"m\":\"$(m)\"}"}}}
                """#)
        #expect(
            json(DeviceSteps([change])) == [
                #"put {"installationId":"d","platform":"browser","#
                    + #""pushChannel":"{\"endpoint\":\"https://x\",\"p256dh\":\"k\",\"auth\":\"a\"}","userId":"7","tags":["a"],"#
                    + #""templates":{"news":{"body":"{\"m\":\"$(m)\"}"}}}"#
            ])
    }

    @Test(arguments: [
        ("[]", "the document is not a JSON object"), (#"{"handle":"00"}"#, "platform is missing"),
        (#"{"platform":"apns"}"#, "handle is missing"), (#"{"platform":7,"handle":"00"}"#, "platform is not a text"),
        (#"{"platform":"apns","handle":"00","tags":[1]}"#, "tags is not a list of texts"),
        (#"{"platform":"apns","handle":"00","templates":[]}"#, "templates is not an object"),
    ])
    func anUnreadableDocumentSaysWhatIsWrong(document: String, why: String) {
        let steps = DeviceSteps([
            DeviceChange(id: 1, action: .put, document: document), patch(2, add: ["a"]),
        ])
        #expect(steps.unreadable == [DeviceSteps.Unreadable(id: 1, why: why)])
        #expect(steps.steps.map(\.ids) == [[2]])
    }

    @Test func theMostTriedChangeCountsForAll() {
        let changes = [patch(1, add: ["a"]), patch(2, add: ["b"])].enumerated().map { index, change in
            DeviceChange(
                id: change.id, action: change.action, document: change.document, attempt: index == 0 ? 4 : 1)
        }
        #expect(DeviceSteps(changes).steps.map(\.attempt) == [4])
    }

    /// Whatever waits, its steps leave the tags that its changes would leave one by one.
    @Test(arguments: 1...40) func stepsDoWhatTheChangesWouldDoOneByOne(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let names = ["a", "b", "c", "d"]
        var changes: [DeviceChange] = []
        var tags: Set<String>? = ["a", "b"]  // nil: there is no such device
        let before = tags
        for id in 1...Int64.random(in: 1...12, using: &random) {
            let some = names.filter { _ in Bool.random(using: &random) }
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                changes.append(put(id, tags: some))
                tags = Set(some)
            case 1:
                changes.append(drop(id))
                tags = nil
            default:
                let others = names.filter { !some.contains($0) && Bool.random(using: &random) }
                changes.append(patch(id, add: some, remove: others))
                tags = tags.map { $0.subtracting(others).union(some) }
            }
        }
        let steps = DeviceSteps(changes)
        var done = before
        for step in steps.steps {
            switch step.content {
            case .put(let registration): done = Set(registration.tags)
            case .drop: done = nil
            case .patch(let patch):
                done = done.map { tags in
                    patch.tags.reduce(into: tags) { tags, change in
                        if change.isAdded { tags.insert(change.tag) } else { tags.remove(change.tag) }
                    }
                }
            }
        }
        #expect(done == tags)
        #expect(steps.superseded + steps.steps.flatMap(\.ids) == changes.map(\.id))
        #expect(steps.steps.count <= 2)
    }
}
