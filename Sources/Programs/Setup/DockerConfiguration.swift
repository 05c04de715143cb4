import CommandSupport
import Identity
import StrictJSON

/// docker's `config.json`, which podman and skopeo also read. Additions are inserted as text; the rest stays byte for
/// byte.
enum DockerConfiguration {
    static let helper = "foyer"
    private static let section = "credHelpers"
    /// Recorded along with the registries if setup also created the object.
    static let sectionMark = "credHelpers:made"

    static func path(_ environment: ProcessEnvironment) -> String {
        environment["DOCKER_CONFIG"].map { environment.expand($0) + "/config.json" }
            ?? environment.home + "/.docker/config.json"
    }

    struct Change: Hashable {
        var bytes: [UInt8]
        /// The added registries, and the mark if the object was added.
        var own: [String]
        var inserted: [String]
    }

    /// - Returns: nil if foyer already is the helper of all of them.
    /// - Throws: `configuration` if the text is not a JSON object, or a registry has another helper.
    static func added(_ registries: [String], to bytes: [UInt8]?, path: String) throws(Failure) -> Change? {
        var layout = JSONLayout.pretty
        layout.indent = [UInt8(ascii: "\t")]
        guard let bytes else {
            let entries = object(registries, layout, level: 2)
            let text = layout.object([(name: section, value: entries)], level: 1)
            return Change(
                bytes: text + [UInt8(ascii: "\n")], own: registries + [sectionMark], inserted: lines(registries))
        }
        let (outline, index) = try outline(bytes, path)
        layout = outline.layout
        var changes = JSONChanges()
        guard let index else {
            changes.appended = [(name: section, value: object(registries, layout, level: 2))]
            let inserted = "\"\(section)\"" + String(decoding: layout.colon, as: UTF8.self)
            return Change(
                bytes: outline.rewritten(changes), own: registries + [sectionMark],
                inserted: lines(registries) + [
                    inserted + "{",
                    inserted + String(decoding: object(registries, layout, level: 2), as: UTF8.self),
                ])
        }
        let node = outline.sections[index]
        guard outline.isObject(node) else {
            throw Failure(.configuration, "credHelpers in \(path) is not an object", hint: "edit it yourself")
        }
        var entries = JSONChanges()
        for registry in registries {
            if let entry = outline.entries(of: node).first(where: { outline.name(of: $0) == registry }) {
                guard outline.isString(entry, equalTo: Array(helper.utf8)) else {
                    throw Failure(
                        .configuration, "\(registry) already has a helper in \(path)",
                        hint: "to use foyer, set it to \"foyer\"")
                }
            } else {
                entries.appended.append((name: registry, value: JSONValue.asciiQuoted(helper)))
            }
        }
        guard !entries.isEmpty else { return nil }
        changes.replaced[index] = outline.rewritten(section: node, entries)
        let own = entries.appended.map(\.name)
        return Change(bytes: outline.rewritten(changes), own: own, inserted: lines(own))
    }

    /// The text without setup's additions; later changes are kept, such as a registry's different helper.
    static func removed(_ own: [String], from bytes: [UInt8], path: String) throws(Failure) -> [UInt8] {
        let (outline, index) = try outline(bytes, path)
        guard let index else { return bytes }
        let node = outline.sections[index]
        let entries = outline.entries(of: node)
        var inner = JSONChanges()
        inner.removed = Set(
            entries.indices.filter {
                outline.isString(entries[$0], equalTo: Array(helper.utf8))
                    && outline.name(of: entries[$0]).map(own.contains) == true
            })
        var changes = JSONChanges()
        if outline.isObject(node), own.contains(sectionMark), inner.removed.count == entries.count {
            changes.removed = [index]
        } else if !inner.isEmpty {
            changes.replaced[index] = outline.rewritten(section: node, inner)
        } else {
            return bytes
        }
        return outline.rewritten(changes)
    }

    static func served(_ bytes: [UInt8]) -> [String] {
        guard let value = try? JSONValue(parsing: bytes) else { return [] }
        if value["credsStore"]?.string == helper { return ["every registry"] }
        guard let helpers = value[section]?.object else { return [] }
        return helpers.members.filter { $0.value.string == helper }.map(\.name)
    }

    private static func object(_ registries: [String], _ layout: JSONLayout, level: Int) -> [UInt8] {
        layout.object(registries.map { (name: $0, value: JSONValue.asciiQuoted(helper)) }, level: level)
    }

    private static func lines(_ registries: [String]) -> [String] {
        ["{", "}", "\"\(section)\": {"] + registries.map { "\"\($0)\": \"\(helper)\"" }
            + registries.map { "\"\($0)\":\"\(helper)\"" }
    }

    /// The object, and the position of the section in it if it has one.
    private static func outline(_ bytes: [UInt8], _ path: String) throws(Failure) -> (JSONOutline, Int?) {
        do throws(JSONError) {
            let outline = try JSONOutline(bytes, limits: JSONLimits(), strictly: true)
            return (outline, outline.sections.firstIndex { outline.isNamed($0, "credHelpers") })
        } catch {
            throw Failure(
                .configuration, "\(path) is not an editable JSON object: \(error)",
                hint: "fix it, or move it elsewhere")
        }
    }
}
