import PushModel

/// In the console people alone have rights.
public typealias Right = PersonRight
