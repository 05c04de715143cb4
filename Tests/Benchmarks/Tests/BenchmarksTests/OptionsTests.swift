import Testing

@testable import Benchmarks

@Suite struct OptionsTests {
    @Test func `Without options everything is measured and told in lines`() throws {
        let options = try Options([])
        #expect(options.parts == [.hit, .large, .frame, .refresh, .instructions])
        #expect(options.output == .text)
        #expect(options.runs(100) == 100)
    }

    @Test func `Parts are measured in their own order`() throws {
        #expect(try Options(["--only", "frame,hit", "--json"]).parts == [.hit, .frame])
    }

    @Test func `A quick run has a fifth of the runs, but three`() throws {
        let options = try Options(["--quick"])
        #expect(options.runs(100) == 20)
        #expect(options.runs(6) == 3)
    }

    @Test(arguments: [["--fast"], ["--only"], ["--only", "hit,none"], ["hit"]])
    func `An unknown word is refused`(words: [String]) {
        #expect(throws: Options.Misuse.self) { try Options(words) }
    }
}
