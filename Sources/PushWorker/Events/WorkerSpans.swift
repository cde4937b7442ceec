import Postgres
import PushModel
import Store
import Telemetry

/// The steps of a worker as spans: claim, intent, post, complete. They exist only where a collector is set.
///
/// A claim begins a trace, and its intents and posts are its children. A post whose messages share one sampled context is a
/// child of that one instead, in the backend's trace, and links to its claim; any other links to the contexts of its messages.
/// A completion is of many claims: it begins a trace and links to them. No span has more than `PostTraces.most` links.
///
/// Ids are made of the numbers of claims and posts, so nothing is kept from one step to the next. No attribute holds what a
/// message says or whom it is for.
struct WorkerSpans: Sendable {
    private let sink: SpanSink
    private let clock: Clock
    /// Makes this worker's ids differ from those of others.
    private let seed: UInt64

    init(_ sink: SpanSink, clock: Clock, seed: UInt64 = .random(in: 1 ... .max)) {
        (self.sink, self.clock, self.seed) = (sink, clock, seed)
    }

    // MARK: Steps

    func hear(_ event: LaneEvent) {
        switch event {
        case .claimed(let claim, let hub, _, let began, _):
            claimed(claim.id, of: hub.settings.name, messages: claim.messages.count, began: began)
        case .intended(let posts, let claim, let hub, let began, _, let isWritten):
            intended(posts, of: claim, hub: hub.settings.name, began: began, isWritten: isWritten)
        case .answered(let post, let flight, let answer, _, let hub, _, _): answered(post, flight, of: hub, answer)
        case .recorded(let written, let began, _): completed(written, began: began)
        case .recordingFailed(let batch, let fault, let began): completed(batch, began: began, fault: fault)
        default: break
        }
    }

    /// - Parameter began: monotonic seconds, here and below.
    private func claimed(_ claim: Int64, of hub: String, messages: Int, began: Double) {
        add("claim", context(of: claim), began: began, [Self.database, .hub(hub), .messages(messages)])
    }

    /// - Parameter isWritten: false: none of the posts may leave.
    private func intended(_ posts: Int, of claim: Int64, hub: String, began: Double, isWritten: Bool) {
        let parent = context(of: claim)
        add(
            "intent", parent.child(.random(in: 1 ... .max)), parent: parent, began: began,
            [Self.database, .hub(hub), .posts(posts)], fault: isWritten ? nil : "not written")
    }

    private func answered(_ post: Int64, _ flight: InFlight.PostInFlight, of hub: HubContext, _ answer: Answer) {
        var attributes: [Span.Attribute] = [
            .hub(hub.settings.name), .messages(flight.messages.count), Span.Attribute("fanfare.post", post),
            Span.Attribute("messaging.system", hub.settings.kind.rawValue),
            Span.Attribute("http.request.method", "POST"), Span.Attribute("server.address", hub.provider.host),
        ]
        if let status = answer.status { attributes.append(Span.Attribute("http.response.status_code", status)) }
        let verdict = answer.verdict.kind
        let failed = verdict != .accepted
        if failed { attributes.append(.error(answer.status.map { "\($0)" } ?? verdict.name)) }
        let claim = context(of: flight.claim)
        let shared = flight.traces?.shared.flatMap { $0.isSampled ? $0 : nil }
        add(
            "post", (shared ?? claim).child(id(of: post)), parent: shared ?? claim,
            links: shared == nil ? flight.traces?.contexts ?? [] : [claim], began: flight.leftAt, attributes,
            fault: failed ? verdict.name : nil)
    }

    /// - Parameter fault: why nothing was written; nil: it was.
    private func completed(_ batch: Completion, began: Double, fault: DatabaseError? = nil) {
        var claims: [Int64] = []
        for claim in batch.answered.lazy.map({ Claim.of(post: $0.post) })
        where claims.count < PostTraces.most && !claims.contains(claim) { claims.append(claim) }
        var attributes: [Span.Attribute] = [
            Self.database, .posts(batch.answered.count), .messages(batch.messages),
        ]
        if let fault { attributes.append(.error(fault.sqlState ?? "none")) }
        let trace = TraceParent(trace: (seed, .random(in: 1 ... .max)), span: .random(in: 1 ... .max))
        add(
            "complete", trace, links: claims.map(context), began: began, attributes,
            fault: fault == nil ? nil : "not written")
    }

    // MARK: Contexts

    /// What the request of a post carries.
    ///
    /// - Parameter shared: the context that all its messages have. One that is not sampled goes on as it is: then the post is
    ///   not in that trace.
    func header(of post: Int64, in shared: TraceParent) -> TraceParent {
        shared.isSampled ? shared.child(id(of: post)) : shared
    }

    /// The span of a claim.
    private func context(of claim: Int64) -> TraceParent {
        let id = id(of: claim)
        return TraceParent(trace: (seed, id), span: id)
    }

    /// Another id for each number, and never 0.
    private func id(of number: Int64) -> UInt64 {
        var random = SeededRandom(seed: seed &+ UInt64(bitPattern: number))
        return max(1, random.next())
    }

    private func add(
        _ name: String, _ context: TraceParent, parent: TraceParent? = nil, links: [TraceParent] = [], began: Double,
        _ attributes: [Span.Attribute], fault: String? = nil
    ) {
        sink.add(
            Span(
                name, context, parent: parent, links: links, seconds: clock.monotonic() - began, ended: clock.wall(),
                attributes, fault: fault))
    }

    /// OpenTelemetry's semantic conventions have names for some; ours begin with `fanfare.`.
    private static let database = Span.Attribute("db.system.name", "postgresql")
}

extension Span.Attribute {
    fileprivate static func hub(_ name: String) -> Self { Self("fanfare.hub", name) }
    fileprivate static func messages(_ count: Int) -> Self { Self("fanfare.messages", count) }
    fileprivate static func posts(_ count: Int) -> Self { Self("fanfare.posts", count) }
    fileprivate static func error(_ type: String) -> Self { Self("error.type", type) }
}
