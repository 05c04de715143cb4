import Testing

@testable import Benchmarks

@Suite struct ProgramsTests {
    @Test(arguments: [".build-benchmarks/release", "Tests/Benchmarks/.build/some-linux/debug", "Sources"])
    func `The repository is the nearest folder above that has foyer's sources`(folder: String) throws {
        let repository = try #require(Programs.repository(above: #filePath))
        #expect(#filePath == repository + "/Tests/Benchmarks/Tests/BenchmarksTests/ProgramsTests.swift")
        #expect(Programs.repository(above: "\(repository)/\(folder)/Benchmarks") == repository)
    }

    @Test func `A program outside a repository is in none`() {
        #expect(Programs.repository(above: "/bin/Benchmarks") == nil)
    }

    @Test func `Programs of a release build are measured, unless another folder is named`() {
        #expect(Programs.folder(named: nil, in: "/none") == "/none/.build/release")
        #expect(Programs.folder(named: "", in: "/none") == "/none/.build/release")
        #expect(Programs.folder(named: "/none/elsewhere", in: "/none") == "/none/elsewhere")
        #expect(Programs.folder(named: "/proc/../", in: "/none") == "/")
    }
}
