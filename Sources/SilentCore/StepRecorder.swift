package import Identity
import Synchronization

/// Records the steps of an acquisition and reports them as they happen.
package final class StepRecorder: Sendable {
    private let steps = Mutex<[Step]>([])
    private let onStep: @Sendable (Step) -> Void

    package init(_ onStep: @escaping @Sendable (Step) -> Void) { self.onStep = onStep }

    /// - Parameter names: the names of users in `detail`.
    package func note(_ name: Step.Name, _ outcome: Step.Outcome, _ detail: String, naming names: [String] = []) {
        let step = Step(name, outcome, detail, naming: names)
        steps.withLock { $0.append(step) }
        onStep(step)
    }

    package func note(_ name: Step.Name, failed failure: Failure) {
        note(name, .failed, failure.message, naming: failure.hidden)
    }

    package var trail: AcquisitionTrace { AcquisitionTrace(steps.withLock { $0 }) }

    package func failed(_ failure: Failure, correlationID: TokenRequest) -> Failure {
        var failure = failure
        failure.trail = trail
        failure.names += correlationID.names
        failure.correlationID = failure.correlationID ?? correlationID.correlationID
        return failure
    }
}
