import CommandSupport
import FoundationEssentials
import SilentCore
import SilentFirst
import Testing
import TokenCache

@Suite struct HandOverNoteTests {
    private func turn(_ spent: Duration, lock: RefreshLock.Handle? = nil) -> RefreshLockState {
        RefreshLockState(since: Date(timeIntervalSince1970: 1_800_000_000), waited: true, spent: spent, lock: lock)
    }

    @Test func `What is written is read`() {
        let lock = RefreshLock.Handle(descriptor: 7, offset: 0x3FFF_FFFF_FFFF_FFFF)
        for turn in [nil, turn(.zero), turn(.milliseconds(1234)), turn(.seconds(60), lock: lock)] {
            for hasAskedAgent in [false, true] {
                let note = ExecHandover(turn: turn, hasAskedAgent: hasAskedAgent)
                #expect(ExecHandover(note.text) == note)
            }
        }
        #expect(ExecHandover().text == Product.version)
        #expect(
            ExecHandover(turn: turn(.milliseconds(1234), lock: lock)).text
                == "\(Product.version) 1800000000 1 1234 7 4611686018427387903")
    }

    @Test(arguments: [
        "", " ", "9 9", "x 1 1 1 1", "0.1.0 -1 0 0", "0.1.0 1 2 0", "0.1.0 1 0 -1", "0.1.0 1 0 0 2 5",
        "0.1.0 1 0 0 -1 5",
        "0.1.0 1 0 0 7 x", "0.1.0 1 0 0 7", "0.1.0 1 0 0 7 5 6", "0.1.0  1 0 0", "0.1.0 99999999999999999999 0 0",
        "0.1.0 1 0 0 99999999999 5",
    ])
    func `What is no turn is none`(text: String) { #expect(ExecHandover(text).turn == nil) }

    @Test func `The version is the first word`() {
        #expect(ExecHandover("0.0.1").version == "0.0.1" && ExecHandover("0.0.1 1 0 0").version == "0.0.1")
        #expect(ExecHandover("").version == "")
    }
}
