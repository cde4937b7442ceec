import Pages

/// Every action that the console has.
enum ActionBook {
    static let all: [any ConsoleAction.Type] = [
        PauseHubAction.self, ResumeHubAction.self, OpenGateAction.self, SetHubRateAction.self, RotateHubAction.self,
        CancelDevicesAction.self, TryDevicesAction.self, RescueWorkerAction.self, RetryMessagesAction.self,
        CancelMessagesAction.self, ResolveDoubtsAction.self, EraseMessagesAction.self, RetryAllAction.self,
        CancelAllAction.self, ResolveAllAction.self, TestCampaignAction.self, ApproveRevisionAction.self,
        RejectRevisionAction.self, RunCampaignAction.self, ScheduleCampaignAction.self, ScheduleOnceAction.self,
        UnscheduleCampaignAction.self, PauseScheduleAction.self, ResumeScheduleAction.self, ArchiveCampaignAction.self,
        UnarchiveCampaignAction.self,
        PauseRunAction.self, ResumeRunAction.self, CancelRunAction.self, SetRunRateAction.self, RetryRunAction.self,
        ResolveRunAction.self,
    ]

    /// - Returns: nil: no action has this name.
    static func action(named name: String) -> (any ConsoleAction.Type)? { all.first { $0.name == name } }
}
