import Glibc
import Identity

/// One atomic change.
enum SetupStep {
    case folder(String)
    case link(SetupPlan.LinkChange)
    case file(SetupPlan.FileChange)

    /// - Throws: `configuration`; nothing has changed then.
    func carryOut() throws(Failure) {
        switch self {
        case .folder(let folder):
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw Failure(
                    .configuration, "\(folder): \(String(cString: strerror(errno)))",
                    hint: "make the folder above it writable, with room on the disk")
            }
        case .link(let link): try HelperLink.change(link.path, from: link.before, to: link.after)
        case .file(let file):
            try SetupFile.change(file.path, from: file.before, to: file.after, isLocked: file.isLocked)
        }
    }

    /// Folders that are not empty remain.
    func undo() throws(Failure) {
        switch self {
        case .folder(let folder): rmdir(folder)
        case .link(let link): try HelperLink.change(link.path, from: link.after, to: link.before)
        case .file(let file):
            try SetupFile.change(file.path, from: file.after, to: file.before, isLocked: file.isLocked)
        }
    }
}
