/// A request that the console does not answer with a page, from anybody.
struct DoorRefusal: Error, Sendable, Equatable {
    var status: Int
    /// What is wrong with it, and how to mend that.
    var words: String
}
