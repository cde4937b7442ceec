/// What a command answers: a text for people, the same as JSON, and how the command ends.
///
/// Made of what was read and nothing else, so tests compare both forms without a process. Each form is made when it is asked
/// for, so that a long list is written once.
package struct Report {
    private let makeText: (Int?) -> String
    private let makeJSON: () -> JSONOutput
    package var status: ExitStatus
    /// Why it is no success: the command ends with its status, and prints it unless JSON is asked for.
    package var failure: Failure?
    /// The failure is printed with JSON, too.
    package private(set) var failsAloud = false
    /// What goes to standard error with the text, and with JSON.
    package var remarks: (text: String?, json: String?) = (nil, nil)
    /// Nothing goes to standard output.
    package var isQuiet = false
    /// The text has colours and marks of ours, and nothing else in it commands a terminal: it is printed as it is.
    package var isStyled = false

    package init(
        _ text: @autoclosure @escaping () -> String, _ json: @autoclosure @escaping () -> JSONOutput,
        status: ExitStatus = .ok
    ) {
        (makeText, makeJSON, self.status) = ({ _ in text() }, json, status)
    }

    /// One object as JSON.
    package init(
        _ text: @autoclosure @escaping () -> String, _ members: @autoclosure @escaping () -> [String: JSONOutput],
        status: ExitStatus = .ok
    ) {
        self.init(text(), .object(members()), status: status)
    }

    /// A text with tables, which fit into lines of `width` characters (nil: any number).
    package init(
        fitting text: @escaping (_ width: Int?) -> String, _ json: @autoclosure @escaping () -> JSONOutput,
        status: ExitStatus = .ok
    ) {
        (makeText, makeJSON, self.status) = (text, json, status)
    }

    /// A table as text, a list as JSON.
    ///
    /// - Parameters:
    ///   - none: the text where there is nothing to list.
    ///   - footer: the last line. With JSON it goes to standard error, because an empty list is no answer without it.
    package init<Row>(
        _ list: [Row], _ columns: [TextTable.Column], none: String? = nil, footer: String? = nil,
        _ cells: @escaping (Row) -> [String?], json: @escaping (Row) -> JSONOutput
    ) {
        makeText = { width in
            let table = list.isEmpty ? none : TextTable(columns, rows: list.map(cells)).text(fitting: width)
            return [table, footer].compactMap(\.self).joined(separator: "\n")
        }
        makeJSON = { .list(list.map(json)) }
        status = .ok
        remarks.json = footer
    }

    /// A table as text, and JSON that another program wrote.
    package init<Row>(
        _ list: [Row], _ columns: [TextTable.Column], none: String, written json: JSONOutput,
        _ cells: @escaping (Row) -> [String?]
    ) {
        self.init(
            fitting: { list.isEmpty ? none : TextTable(columns, rows: list.map(cells)).text(fitting: $0) }, json)
    }

    /// Prints nothing.
    package static var nothing: Report {
        var nothing = Report("", .null)
        nothing.isQuiet = true
        return nothing
    }

    /// The same, ending with a failure if there is one.
    ///
    /// - Parameter always: it is printed with JSON, too.
    package func failing(with failure: Failure?, always: Bool = false) -> Report {
        var report = self
        report.failure = failure
        report.failsAloud = always
        return report
    }

    /// For people. Empty: only JSON has content.
    ///
    /// - Parameter width: characters a line may have; nil: any number.
    package func text(fitting width: Int? = nil) -> String { makeText(width) }

    package var json: JSONOutput { makeJSON() }
}
