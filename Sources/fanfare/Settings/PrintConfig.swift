import ArgumentParser
import Daemon

/// `fanfare config print`
struct PrintConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print every setting in effect and where it came from, without secrets.",
        discussion: "Example: fanfare config print --set dispatch.batch=500")

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() throws {
        let settings = try options.settings()
        let rows = settings.describe()
        if json.isOn {
            let document: JSONOutput = .object([
                "file": .text(settings.file),
                "settings": .list(
                    rows.map {
                        .object(["key": .text($0.key), "value": .text($0.value), "source": .text($0.source)])
                    }),
            ])
            return try StandardStreams.print(document.document)
        }
        var table = TextTable([.text("KEY"), .text("VALUE"), .text("SOURCE")], widest: 1000)
        for row in rows { table.add([row.key, row.value, row.source]) }
        try StandardStreams.print(table.text)
    }
}
