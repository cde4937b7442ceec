import Foundation
import Synchronization

/// A command that goes on until it is told to stop, and what it has printed so far.
package final class RunningProgram: Sendable {
    /// Why no more is coming.
    package struct Ended: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        package var output = ""
        package var isOver = false
        package var waiting: [(text: String, count: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    package let id: pid_t
    private let state = Mutex(State())
    private let status: Task<Int32, Never>
    private let errors: Pipe

    /// Starts it.
    package convenience init(_ fanfare: BuiltProgram, _ arguments: String...) throws {
        try self.init(fanfare, arguments: arguments)
    }

    /// Starts it.
    package init(_ fanfare: BuiltProgram, arguments: [String]) throws {
        let process = fanfare.process(arguments)
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let isExit = process.terminationReason == .exit
            ended.yield(isExit ? process.terminationStatus : -process.terminationStatus)
        }
        status = Task {
            for await status in ends { return status }
            return -1
        }
        try process.run()
        self.errors = errors
        id = process.processIdentifier
        let handle = output.fileHandleForReading
        // A thread of its own: reading a pipe blocks.
        Thread.detachNewThread { [self] in
            var bytes = Data()
            while case let data = handle.availableData, !data.isEmpty {
                bytes.append(data)
                note(String(decoding: bytes, as: UTF8.self), isOver: false)
            }
            note(String(decoding: bytes, as: UTF8.self), isOver: true)
        }
    }

    private func note(_ output: String, isOver: Bool) {
        let ready = state.withLock { state in
            state.output = output
            state.isOver = isOver
            defer { state.waiting.removeAll { isOver || Self.has($0.text, $0.count, in: output) } }
            return state.waiting.filter { isOver || Self.has($0.text, $0.count, in: output) }
        }
        for waiter in ready { waiter.continuation.resume(returning: Self.has(waiter.text, waiter.count, in: output)) }
    }

    private static func has(_ text: String, _ count: Int, in output: String) -> Bool {
        output.split(separator: text, omittingEmptySubsequences: false).count > count
    }

    /// Waits until it has printed the text so often.
    ///
    /// - Returns: everything it has printed until then.
    /// - Throws: `Ended` when it ends without.
    @discardableResult
    package func printed(_ text: String, times count: Int = 1) async throws -> String {
        let isThere = await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if Self.has(text, count, in: state.output) { return true }
                if state.isOver { return false }
                state.waiting.append((text, count, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        let output = state.withLock { $0.output }
        guard isThere else { throw Ended(description: "it ended without \(text): \(output)\(complaints)") }
        return output
    }

    /// What it wrote to standard error. To be asked when it has ended.
    package var complaints: String { String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self) }

    package func signal(_ signal: Int32) { kill(id, signal) }

    /// Waits for its end.
    ///
    /// - Returns: the exit status; negative: the signal that ended it.
    package var end: Int32 {
        get async { await status.value }
    }
}
