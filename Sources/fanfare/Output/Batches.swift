import CommandLineTool

/// A change in many short transactions.
enum Batches {
    /// Goes on until nothing is left, and shows meanwhile how far it is.
    ///
    /// - Parameters:
    ///   - words: what became of what is counted, such as `cancelled`.
    ///   - step: one transaction, from a mark on: how many it changed, and the mark to go on from.
    /// - Returns: how many were changed.
    static func count<Mark>(
        _ words: String, _ step: (Mark?) async throws -> (Int64, next: Mark?)
    ) async throws -> Int64 {
        let progress = ProgressLine()
        var (count, mark): (Int64, Mark?) = (0, nil)
        repeat {
            let (changed, next) = try await step(mark)
            (count, mark) = (count + changed, next)
            if next != nil { await progress.show("\(count) \(words)") }
        } while mark != nil
        await progress.end()
        return count
    }
}
