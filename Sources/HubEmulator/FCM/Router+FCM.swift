import HTTPServer

// Requests to FCM: the same faults and the same common headers as for a notification hub.
extension Router {
    func receive(_ operation: FCMOperation, _ request: EmulatorRequest) -> RequestPlan {
        // Which sender a request for a token or a subscription is about, its body says.
        let named: Hub? = if case .send(let project) = operation { fcm.grants.hub(ofProject: project) } else { nil }
        let early = named.map { strike(operation, .withoutTag, hub: $0, tags: nil) }
        if let early, let fault = early.fault, fault.closing == .beforeBody {
            record(operation, request, early)
            return .withoutBody(.hangUp(isReset: fault.reset, delayMilliseconds: early.delayMilliseconds))
        }
        return .body(limit: operation.bodyLimit) { [self] content in
            var request = request
            let strike = strike(operation, content, named, early)
            request.faultEffects = strike.effects
            request.obeyFaults()
            if let fault = strike.fault, fault.replacesAnswer {
                return respond(with: fault, strike, operation, request, content)
            }
            var entry: JournalEntry?
            if case .send(let project) = operation { entry = fcm.entry(request, project, fault: strike.number) }
            var response = fcm.answer(operation, request, content, entry)
            response.delayMilliseconds = strike.delayMilliseconds
            return .answer(withCommonHeaders(response, request))
        }
    }

    private func strike(
        _ operation: FCMOperation, _ part: FaultScript.Part, hub: Hub, tags: String?
    ) -> FaultScript.Strike {
        guard let fault = operation.fault else { return FaultScript.Strike() }
        return faults.strike(fault, part, isSend: operation.isSend, tags: tags, hub: hub.name, now: now())
    }

    /// The effect of all faults: those that the head decided, and those that need the body.
    private func strike(
        _ operation: FCMOperation, _ content: UploadedBody, _ named: Hub?, _ early: FaultScript.Strike?
    ) -> FaultScript.Strike {
        switch operation {
        case .token:
            return fcm.grants.hub(of: content).map { strike(operation, .all, hub: $0, tags: nil) }
                ?? FaultScript.Strike()
        case .topics, .subscription: return FaultScript.Strike()
        case .send:
            guard let named, let early else { return FaultScript.Strike() }
            guard faults.hasTags else { return early }
            // A body that is no send has no topics; its refusal comes later.
            let send = content.bytes.flatMap { try? FCMSend($0) }
            guard case .topics(let condition)? = send?.target else { return early }
            let late = strike(operation, .withTag, hub: named, tags: condition.topics.joined(separator: " "))
            return early.merged(with: late)
        }
    }

    private func respond(
        with fault: Fault, _ strike: FaultScript.Strike, _ operation: FCMOperation, _ request: EmulatorRequest,
        _ content: UploadedBody
    ) -> ResponsePlan {
        var response = fault.response(
            now: now() + request.faultEffects.skewSeconds, waitSeconds: strike.waitSeconds,
            form: operation == .token ? .grant : .fcm)
        if case .send(let project) = operation {
            response = fcm.recordFault(
                request, project: project, content, fcm.entry(request, project, fault: strike.number),
                response: response, isTaken: fault.taken)
        } else if fault.taken {
            _ = fcm.answer(operation, request, content, nil)
        }
        guard var response else {
            return fault.silence(delayMilliseconds: strike.delayMilliseconds)
        }
        response.delayMilliseconds = strike.delayMilliseconds
        return .answer(withCommonHeaders(response, request))
    }

    /// Records a send whose body was not read.
    private func record(_ operation: FCMOperation, _ request: EmulatorRequest, _ strike: FaultScript.Strike) {
        guard case .send(let project) = operation else { return }
        fcm.journal.record(fcm.entry(request, project, fault: strike.number))
    }
}
