import Glibc

/// A folder that goes when the work is done, and an environment in which nothing of the person's own is read: no
/// settings, no store, no agent.
struct Scratch {
    let path: String
    /// Removes the folder when the pipe is closed, which an interrupt of this program does, too.
    private let remover: pid_t?
    private let lifetime: Pipe?

    init() {
        var template = Array("/tmp/foyer-benchmarks-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        lifetime = Pipe()
        let script = "cat >/dev/null; exec rm -rf -- \"$0\""
        let command = Command(["/bin/sh", "-c", script, path], ["PATH=\(Programs.path)"])
        remover = Child.start(command, input: lifetime?.reading, inSession: true)
        lifetime?.closeReading()
    }

    var environment: [String] {
        ["HOME=\(path)", "TMPDIR=\(path)", "PATH=\(Programs.path)", "TERM=xterm-256color", "LANG=C.UTF-8"]
    }

    /// - Returns: the file's path.
    func write(_ name: String, _ text: String) -> String {
        let file = path + "/" + name
        Files.write(file, text)
        return file
    }

    /// - Returns: the path of a folder of that name, made for its owner only.
    func folder(_ name: String) -> String {
        let folder = path + "/" + name
        mkdir(folder, 0o700)
        return folder
    }

    func remove() {
        lifetime?.closeWriting()
        if let remover { _ = Child.wait(remover) }
    }
}
