import Testing

@testable import Benchmarks

@Suite struct QuartilesTests {
    @Test func `Quartiles of an odd count are samples, whatever the order`() throws {
        let quartiles = try #require(Quartiles(of: [5, 1, 4, 2, 3]))
        #expect(
            [quartiles.least, quartiles.lower, quartiles.median, quartiles.upper, quartiles.most] == [1, 2, 3, 4, 5])
        #expect(quartiles.runs == 5)
    }

    @Test func `Quartiles between two samples are interpolated as NumPy does`() throws {
        // numpy.percentile([10, 20, 30, 40], [0, 25, 50, 75, 100])
        let quartiles = try #require(Quartiles(of: [40, 10, 30, 20]))
        #expect(
            [quartiles.least, quartiles.lower, quartiles.median, quartiles.upper, quartiles.most]
                == [10, 17.5, 25, 32.5, 40])
    }

    @Test func `One sample is all of its quartiles, and no sample has none`() throws {
        let quartiles = try #require(Quartiles(of: [7]))
        #expect(
            [quartiles.least, quartiles.lower, quartiles.median, quartiles.upper, quartiles.most] == [7, 7, 7, 7, 7])
        #expect(Quartiles(of: []) == nil)
    }

    @Test(arguments: [
        (0.0, 2, "0.00"), (1.005, 1, "1.0"), (0.06, 1, "0.1"), (9.999, 2, "10.00"), (12.3456, 3, "12.346"),
        (-0.25, 2, "-0.25"), (41.6, 0, "42"), (3.07, 2, "3.07"),
    ])
    func `Decimals are rounded to their digits`(value: Double, digits: Int, text: String) {
        #expect(Figure.decimal(value, digits: digits) == text)
    }
}
