/// How a state looks, in colour and in shape; its word stands beside: `<span class="state good">sends</span>`.
package enum StateLook: String, Sendable, CaseIterable {
    /// As it should be: a disc.
    case good
    /// Something has to come or to pass first: a ring.
    case waits
    /// Somebody has to do something: a triangle.
    case bad
    /// Somebody took it out, or it has ended: a bar.
    case off
}
