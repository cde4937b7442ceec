import Pages

/// Every action that the console has.
enum ActionBook {
    static let all: [any ConsoleAction.Type] = [
        PauseHubAction.self, ResumeHubAction.self, OpenGateAction.self, SetHubRateAction.self, RotateHubAction.self,
        CancelDevicesAction.self, RetryMessagesAction.self, CancelMessagesAction.self, ResolveDoubtsAction.self,
        EraseMessagesAction.self,
    ]

    /// - Returns: nil: no action has this name.
    static func action(named name: String) -> (any ConsoleAction.Type)? { all.first { $0.name == name } }
}
