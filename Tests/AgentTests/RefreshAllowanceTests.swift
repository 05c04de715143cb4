import Identity
import Testing

@testable import Agent

@Suite struct RefreshAllowanceTests {
    private let ada = AccountID(homeAccountID: "ada.contoso", environment: "login.microsoftonline.com")
    private let grace = AccountID(homeAccountID: "grace.contoso", environment: "login.microsoftonline.com")

    @Test(arguments: [true, false])
    func `An account has so many refreshes in a period, and then the time to wait`(isForced: Bool) {
        var allowance = RefreshAllowance()
        let most = isForced ? RefreshAllowance.mostForced : RefreshAllowance.most
        for number in 0..<most {
            #expect(allowance.take(ada, isForced: isForced, at: .seconds(1000 + number)) == nil)
        }
        let last = Duration.seconds(1000 + most - 1)
        let wait = RefreshAllowance.period - .seconds(most - 1)
        for _ in 0..<3 { #expect(allowance.take(ada, isForced: isForced, at: last) == wait) }
        #expect(allowance.take(grace, isForced: isForced, at: last) == nil)
        // One is free again when the first is a period old, and no more than one.
        #expect(allowance.take(ada, isForced: isForced, at: last + wait - .milliseconds(1)) == .milliseconds(1))
        #expect(allowance.take(ada, isForced: isForced, at: last + wait) == nil)
        #expect(allowance.take(ada, isForced: isForced, at: last + wait) == .seconds(1))
    }

    @Test func `An account that has no forced refresh left still has the others`() {
        var allowance = RefreshAllowance()
        for _ in 0..<RefreshAllowance.mostForced { #expect(allowance.take(ada, isForced: true, at: .zero) == nil) }
        #expect(allowance.take(ada, isForced: true, at: .zero) == RefreshAllowance.period)
        for _ in RefreshAllowance.mostForced..<RefreshAllowance.most {
            #expect(allowance.take(ada, isForced: false, at: .zero) == nil)
        }
        #expect(allowance.take(ada, isForced: false, at: .zero) == RefreshAllowance.period)
    }

    @Test func `Aliases of a cloud are one account`() {
        var allowance = RefreshAllowance()
        let alias = AccountID(homeAccountID: "ada.contoso", environment: "login.windows.net")
        for _ in 0..<RefreshAllowance.mostForced { #expect(allowance.take(ada, isForced: true, at: .zero) == nil) }
        #expect(allowance.take(alias, isForced: true, at: .zero) != nil)
    }
}
