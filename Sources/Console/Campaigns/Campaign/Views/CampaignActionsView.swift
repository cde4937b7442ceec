import Pages
import PushModel
import Store

/// What a person can do with a campaign: the forms and buttons that would do something in its state. Pure.
struct CampaignActionsView {
    let actionCampaign: String
    let actionRevision: String
    /// nil: it was put away.
    let testForm: TestForm?
    let runForm: RunForm?
    let scheduleForm: ScheduleForm?
    let campaignButtons: [ActionLink]

    struct TestForm {
        let testAddress: String
        /// Sample values of the phones, which the test says, too.
        let testSamples: [HiddenField]
        let testNote: String?
    }

    struct RunForm {
        let runFormAddress: String
        /// The day, UTC.
        let runProposal: String
    }

    struct ScheduleForm {
        let scheduleAddress: String
        let scheduleOnceAddress: String
    }

    /// - Parameters:
    ///   - revision: that is shown: a test sends it.
    ///   - hasSchedule: whether it starts itself, or would if it were not paused.
    /// - Returns: nil: the person may not act, or nobody may here.
    init?(
        _ campaign: CampaignStore.Campaign, revision: Int32, hasSchedule: Bool, samples: SampleValues, for visit: Visit
    ) {
        guard visit.canAct(CampaignPage.owners) else { return nil }
        let name = campaign.name
        actionCampaign = name
        actionRevision = "\(revision)"
        let isOpen = campaign.state != "archived"
        let isReady = campaign.state == "ready"
        testForm =
            isOpen
            ? TestForm(
                testAddress: visit.address("act", TestCampaignAction.name),
                testSamples: samples.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) },
                testNote: samples.isEmpty
                    ? nil : "The sample values of the phones are said to everybody who gets the test.")
            : nil
        runForm =
            isReady
            ? RunForm(
                runFormAddress: visit.address("act", RunCampaignAction.name),
                runProposal: String(HumanFormat.time(secondsSince1970: visit.now).prefix(10))) : nil
        scheduleForm =
            isOpen
            ? ScheduleForm(
                scheduleAddress: visit.address("act", ScheduleCampaignAction.name),
                scheduleOnceAddress: visit.address("act", ScheduleOnceAction.name)) : nil
        var buttons: [(any ConsoleAction, String)] = []
        if isReady, hasSchedule {
            buttons.append(
                campaign.schedulePausedAt == nil
                    ? (PauseScheduleAction(campaign: name), "Pause the schedule")
                    : (ResumeScheduleAction(campaign: name), "Resume the schedule"))
            buttons.append((UnscheduleCampaignAction(campaign: name), "Take the schedule away"))
        }
        if !isOpen {
            buttons.append((UnarchiveCampaignAction(campaign: name), "Bring the campaign back"))
        } else if campaign.runState?.isOver != false {
            // It waits for the end of its run.
            buttons.append((ArchiveCampaignAction(campaign: name), "Put the campaign away"))
        }
        campaignButtons = buttons.compactMap { ActionLink($0, $1, for: visit) }
    }
}
