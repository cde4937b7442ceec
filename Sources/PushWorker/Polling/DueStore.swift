import Postgres
import Store

/// What the poller asks of the queue.
protocol DueStore: Sendable {
    func look(_ lanes: [Queue.Question]) async throws(DatabaseError) -> Set<Int>
    func dueLanes() async throws(DatabaseError) -> Set<Queue.LaneID>
    func announce(isAsleep: Bool) async throws(DatabaseError) -> Bool
}

extension Queue: DueStore {}
