extension DatabaseWatch {
    func hear(_ event: LaneEvent) {
        switch event {
        case .claimed(_, _, let lane, let began, _): wrote(by: .lane(lane), began: began)
        case .foundNothing(let lane, let began, _):
            answered(began: began)
            hasNothing(.lane(lane))
        case .recorded(let written, let began, _):
            if written.isEmpty { answered(began: began) } else { wrote(by: .recorder, began: began) }
        case .recordingFailed(_, let error, _):
            // A value that the database refuses is no trouble of the database.
            if !error.isAboutValues { failed(error, by: .recorder) }
        case .read(let began): answered(began: began)
        case .wrote(let writer, let began): wrote(by: writer, began: began)
        case .failed(let error, let writer): failed(error, by: writer)
        default: break
        }
    }
}
