import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel
@testable import Plain

/// A feature is told without a line of code for it.
@Suite struct FeatureTests {
    @Test(
        arguments: Registry.keyTables.first { $0.context == .picker }?.bindings.filter {
            Registry.opensPage($0.command)
        } ?? [])
    func `Each page that opens from anywhere is offered by its number, its name and its key`(_ binding: KeyBinding) {
        for answer in [nil, binding.command.name, binding.keys[0].name] {
            var sample = Sample()
            let told = sample.tell()
            let page =
                answer.map { sample.answer($0) }
                ?? sample.answer(with: "  \(binding.command.name): ", in: told)
            #expect(sample.state.stack.count == 1)
            #expect(page.dropFirst().first == sample.state.topPage.title)
            #expect(page.last == " 0  back")
            sample.answer("0")
            #expect(sample.state.stack.isEmpty)
        }
    }

    @Test func `There are pages to be offered`() {
        #expect(Registry.opensPage(.failures) && Registry.opensPage(.doctor))
    }

    @Test func `On a page its own commands are numbered, and the other pages open by name`() {
        var sample = Sample()
        let told = sample.answer("settings")
        #expect(!told.contains { $0.contains("doctor: ") })
        sample.answer("doctor")
        #expect(sample.state.stack.count == 2)
    }

    /// Nobody has heard of it outside of this file.
    private struct Weather: Feature {
        var place = 0
        var isSunny = false
        var scroll = 0
        var keyContext: KeyContext { .failures }
        func offers(_ command: Command, in context: Context) -> Bool { [.open, .back].contains(command) }
        func page(in context: Context) -> Page {
            Page(
                title: "the weather",
                addText: { block in
                    block.field("sky", isSunny ? "blue" : "grey")
                    block.field("wind", "north-west")
                }, rows: { ["Amrum", "Föhr"] }, selectedRow: place, rowName: "island")
        }
        mutating func update(_ event: Event, in context: Context) -> [Action] {
            switch event {
            case .select(let row): place = row
            case .command(.open, _): isSunny = true
            case .command(.back, _): return [.close]
            default: break
            }
            return []
        }
    }

    @Test func `A feature that is new has its page, its rows and its commands`() {
        var sample = Sample()
        sample.open(Weather())
        #expect(
            sample.tell() == [
                "", "the weather", "the island: Amrum", " 1  choose an island",
                " 2  open: show the provider's response and the fix", " 0  back",
            ])
        #expect(sample.answer("1") == [" 1  Amrum", " 2  Föhr", " 0  back"])
        #expect(sample.prompt == "island: ")
        #expect(sample.answer("2").prefix(4) == ["", "the weather", "sky: grey", "wind: north-west"])
        #expect(sample.answer("2").first == "sky: blue")
        #expect(sample.answer("0").contains("the account: ada@example.org: renews on use"))
    }
}
