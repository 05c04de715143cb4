import Identity
import Testing

@Suite struct ProviderSupportTests {
    private func method(
        _ wanted: SignInMethod, _ kind: Authority.Kind = .oidc, hasDeviceCode: Bool = false
    ) throws(Failure) -> SignInMethod {
        let support = ProviderSupport(kind: kind, hasDeviceCode: hasDeviceCode)
        return try support.method(for: wanted) { (.device, "there is no display") }.method
    }

    @Test func `Automatic is what the machine can, except for a code that the provider does not give`() throws {
        #expect(try method(.automatic, hasDeviceCode: true) == .device)
        #expect(try method(.automatic) == .browser)
        #expect(try method(.text) == .text)
        #expect(try method(.native, .ciam) == .native)
    }

    @Test func `A method that was chosen is not replaced`() {
        #expect(throws: Failure.self) { try method(.device) }
        #expect(throws: Failure.self) { try method(.native, .aad, hasDeviceCode: true) }
    }

    @Test func `Without the secret that the browser's flow needs, a device code is used, and no browser is opened`()
        throws
    {
        var support = ProviderSupport(kind: .oauth2, hasDeviceCode: true)
        support.missingSecret = .browserOnly
        #expect(support.methods == [.device])
        #expect(try support.method(for: .automatic) { (.browser, "a display") }.method == .device)
        #expect(try support.method(for: .device) { (.browser, "a display") }.method == .device)
        for method in [SignInMethod.browser, .privateWindow, .text] {
            #expect { try support.method(for: method) { (.browser, "a display") } } throws: {
                ($0 as? Failure)?.hint == .useMethod([.device])
            }
        }
        support.missingSecret = .always
        #expect { try support.method(for: .device) { (.browser, "a display") } } throws: {
            ($0 as? Failure)?.code == .configuration
        }
    }

    @Test func `The methods of a provider are those that it takes`() {
        #expect(ProviderSupport(kind: .ciam, hasDeviceCode: true).methods == [.device, .browser, .native])
        #expect(ProviderSupport(kind: .adfs, hasDeviceCode: false).methods == [.browser])
    }
}
