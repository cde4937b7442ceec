import CommandLineTool

/// What is wrong with a line of a file.
struct LineFault: Error, CustomStringConvertible {
    let description: String
    /// From 1, where one character is wrong.
    var column: Int?
    /// What to do about it; nil: the example of a line is enough.
    var hint: String?

    init(_ description: String, column: Int? = nil, hint: String? = nil) {
        (self.description, self.column, self.hint) = (description, column, hint)
    }

    /// - Parameters:
    ///   - number: from 1.
    ///   - hint: what a line looks like.
    func complaint(of path: String, line number: Int, hint: String? = nil) -> Failure.Complaint {
        let place = "\(InputFile.name(path)), line \(number)" + (column.map { ", column \($0)" } ?? "")
        return Failure.Complaint(what: place, why: description, hint: self.hint ?? hint)
    }
}
