/// What every part gets.
struct Bench {
    let scratch: Scratch
    let python: Python?
    let options: Options
}
