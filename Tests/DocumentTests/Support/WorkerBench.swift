import HubEmulator
import TestSupport

/// An emulator in this process, a database, and settings that name both.
struct WorkerBench {
    let worker: TestWorker
    let settings: String
    /// Has the settings as config.json, where a command looks first.
    let folder: Folder

    /// - Parameter change: what else the emulator is.
    static func make(_ change: (inout EmulatorSettings) -> Void = { _ in }) async throws -> WorkerBench {
        let worker = try await TestWorker.make(hubs: [TestWorker.news], change)
        let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
        let folder = try Folder()
        let settings = """
            {"database": {"url": "\(worker.test.conninfo)"},
             "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)",
               "languages": {"en": "English", "fr": "French", "zh-Hans": "Mandarin"}, "fallback": "en"}},
             "console": {"listen": "off"},
             "dispatch": {"leaseSeconds": 5}}
            """
        return WorkerBench(
            worker: worker, settings: try folder.write(settings, to: "config.json"), folder: folder)
    }
}
