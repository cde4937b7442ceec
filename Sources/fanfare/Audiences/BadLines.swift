import ArgumentParser
import CommandLineTool
import Files
import PushModel

/// What to do about lines of a file that cannot be read.
struct BadLineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write every bad line there: its number, its key and why.", valueName: "path"))
    var report: String?

    @Flag(help: "Take the good lines, and say how many were left out. Default: nothing is taken.")
    var leaveOutBad = false
}

/// The lines of a file that cannot be read: the first of them for people, all of them in a report.
final class BadLines {
    /// How many are shown.
    private static let most = 5

    private(set) var count = 0
    private let leavesOut: Bool
    private var first: [Failure.Complaint] = []
    private let path: String?
    private let report: AtomicFile?

    /// - Throws: `Failure` when the report cannot be written.
    init(_ options: BadLineOptions) throws(Failure) {
        leavesOut = options.leaveOutBad
        path = options.report
        report = try path.map { path throws(Failure) in
            try Failure.writing(path) { () throws(FileFault) in
                let report = try AtomicFile(path, mode: 0o600)
                try report.append("line,key,reason\n".utf8)
                return report
            }
        }
    }

    /// Whether nothing is taken any more.
    var refuseAll: Bool { count > 0 && !leavesOut }

    /// To end a sentence about the others: `, 3 bad lines were left out`; empty: all were good.
    var leftOut: String {
        guard count > 0 else { return "" }
        return ", \(HumanFormat.count(count, "bad line")) \(count == 1 ? "was" : "were") left out"
    }

    /// - Parameters:
    ///   - key: of the line, where it can be read.
    ///   - hint: what a line looks like.
    func add(_ fault: LineFault, of file: String, line: Int, key: String?, hint: String) throws(Failure) {
        count += 1
        if count <= Self.most { first.append(fault.complaint(of: file, line: line, hint: count == 1 ? hint : nil)) }
        guard let path, let report else { return }
        let reason = (fault.column.map { "column \($0): " } ?? "") + fault.description
        try Failure.writing(path) { () throws(FileFault) in
            try report.append((CSV.line(["\(line)", key ?? "", reason]) + "\n").utf8)
        }
    }

    /// Writes the report. Called once, at the end of the file.
    ///
    /// - Throws: `Failure` when there were bad lines, and they may not be left out.
    func finish(_ file: String) throws(Failure) {
        try Failure.writing(path ?? "") { () throws(FileFault) in try report?.commit(isDurable: false) }
        guard refuseAll else { return }
        let others = count - first.count
        let written = path.map { "All of them are in \($0)" } ?? "--report FILE writes all of them"
        throw Failure(
            first + [
                Failure.Complaint(
                    what: InputFile.name(file),
                    why: HumanFormat.count(count, "bad line") + (others > 0 ? ", of which \(Self.most) are shown" : "")
                        + "; nothing was changed",
                    hint: "\(written); --leave-out-bad takes the other lines.")
            ], status: .badInput)
    }
}
