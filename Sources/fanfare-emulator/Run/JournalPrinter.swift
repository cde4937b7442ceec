import CommandLineTool
import HubEmulator

/// Reads on in an emulator's journal and among its warnings, and prints what is new: sends to standard output, warnings
/// to standard error.
actor JournalPrinter {
    private let emulator: HubEmulator
    private let sends: Bool
    private var number = 0
    private var warned = 0

    /// - Parameter sends: whether sends are printed; warnings always are.
    init(_ emulator: HubEmulator, sends: Bool) {
        self.emulator = emulator
        self.sends = sends
    }

    /// Until the task is cancelled.
    ///
    /// - Throws: what `StandardStreams.print` throws.
    func printEverything() async throws {
        while true {
            try printNews()
            // Ends early only by cancellation, and then there is nothing to print any more.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
    }

    func printNews() throws {
        let entries = sends ? emulator.journal(after: number) : []
        if let last = entries.last { number = last.number }
        if !entries.isEmpty { try StandardStreams.print(entries.map { SendLine($0).text }.joined(separator: "\n")) }
        let warnings = emulator.warnings
        if warnings.count < warned { warned = 0 }  // they were cleared meanwhile
        for warning in warnings.dropFirst(warned) { StandardStreams.printError("warning: \(warning.text.onOneLine)") }
        warned = warnings.count
    }
}
