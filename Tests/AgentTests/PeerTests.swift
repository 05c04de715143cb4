import Testing

@testable import Agent

@Suite struct AskerTests {
    @Test(
        arguments: [
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/build.service\n", "build.service", nil),
            ("0::/user.slice/user-1000.slice/session-4.scope\n", "session-4.scope", nil),
            (
                "0::/user.slice/user@1000.service/user.slice/libpod-" + String(repeating: "ab", count: 32) + ".scope\n",
                "libpod-" + String(repeating: "ab", count: 32) + ".scope", "abababababab"
            ),
            ("12:cpu:/docker/" + String(repeating: "0f", count: 32) + "\n", nil, "0f0f0f0f0f0f"),
            ("0::/\n", nil, nil), ("", nil, nil), ("nonsense", nil, nil),
        ] as [(String, String?, String?)])
    func `A control group names the unit and the container`(text: String, unit: String?, container: String?) {
        let place = Peer.place(inCgroup: text)
        #expect(place.container == container)
        #expect(place.unit.map { String($0.prefix(100)) } == unit.map { String($0.prefix(100)) })
    }

    @Test func `Only this user and root are served`() {
        #expect(Peer(pid: 1, uid: 0).mayAsk)
        #expect(!Peer(pid: 1, uid: 65534).mayAsk)
    }
}
