import Identity
import Synchronization

/// Records the steps of an acquisition and reports them as they happen.
final class StepRecorder: Sendable {
    private let steps = Mutex<[Step]>([])
    private let onStep: @Sendable (Step) -> Void

    init(_ onStep: @escaping @Sendable (Step) -> Void) { self.onStep = onStep }

    func note(_ name: Step.Name, _ outcome: Step.Outcome, _ detail: String) {
        let step = Step(name, outcome, detail)
        steps.withLock { $0.append(step) }
        onStep(step)
    }

    var trail: AcquisitionTrace { AcquisitionTrace(steps.withLock { $0 }) }

    func failed(_ failure: Failure, correlationID: TokenRequest) -> Failure {
        var failure = failure
        failure.trail = trail
        failure.correlationID = failure.correlationID ?? correlationID.correlationID
        return failure
    }
}
