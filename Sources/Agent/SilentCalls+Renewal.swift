import CommandSupport
import FoundationEssentials
import Identity
import SilentCore
import TokenCache
import TokenCalls

extension SilentCalls {
    /// Refreshes in the background, unless another process has done so already.
    func renew(_ item: AgentTokenRequest) async -> RefreshSchedule<AgentTokenRequest>.End {
        let call: TokenCall
        do throws(Failure) { call = try await worked(out: item).0 } catch { return .over }
        guard let decision = await decision(call) else { return .failed(notBefore: nil) }
        if let life = decision.servedLife, !life.isDue(at: Date()) { return .renewed(life) }
        if case .wait(let entry) = decision.hold { return .failed(notBefore: entry.until) }
        do throws(Failure) {
            guard let life = try await acquire(call, forceRefresh: true).life else { return .over }
            return .renewed(life)
        } catch {
            return error.code == .unavailable || error.code == .storeError ? .failed(notBefore: nil) : .over
        }
    }
}
