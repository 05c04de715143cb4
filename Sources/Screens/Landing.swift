import Identity

// What comes back for a flight: given to the screen that waits for it, dropped when there is none.
extension State {
    mutating func land(_ message: Message) -> [Effect] {
        guard let flight = message.flight, let index = stack.lastIndex(where: { $0.flight == flight }) else {
            return staleEffects(message)
        }
        switch stack[index] {
        case .acquisition(var screen):
            let effects = screen.land(message)
            stack[index] = .acquisition(screen)
            return effects
        case .progress(var screen):
            let effects = screen.land(message)
            stack[index] = .progress(screen)
            if case .acquired(let token, _) = message { picker.wanted = AccountOverview.ID(token.account.id) }
            return effects
        case .departure(var screen):
            let effects = screen.land(message)
            stack[index] = .departure(screen)
            return effects
        case .group(let screen): return landGroup(message, screen, at: index)
        case .doctor(var screen):
            if case .examination(let event, _) = message { screen.hear(event) }
            stack[index] = .doctor(screen)
            return []
        case .stores(var screen):
            screen.land(message)
            stack[index] = .stores(screen)
            return []
        case .form, .inspector, .scopes, .dialog, .help, .themes, .activity, .settings, .palette: return []
        }
    }

    /// The screen is gone, but the store may hold something new all the same.
    private func staleEffects(_ message: Message) -> [Effect] {
        switch message {
        case .acquired, .removed, .removedElsewhere, .signedOut: [.load]
        case .key, .resized, .tick, .loaded, .storeFailed, .notice, .step, .signIn, .failed, .verified, .entry,
            .examination, .flight,
            .settings, .stores, .question:
            []
        }
    }

    /// A code that can no longer be used is not shown any more.
    mutating func expireCodes() {
        for index in stack.indices {
            guard case .progress(var screen) = stack[index] else { continue }
            screen.expireCode(at: now)
            stack[index] = .progress(screen)
        }
    }
}

extension Message {
    var flight: FlightID? {
        switch self {
        case .step(_, let flight), .signIn(_, let flight), .acquired(_, let flight), .failed(_, let flight),
            .removed(_, let flight),
            .removedElsewhere(_, _, let flight), .signedOut(_, let flight), .question(_, let flight),
            .examination(_, let flight),
            .flight(_, let flight), .stores(_, let flight):
            flight
        case .key, .resized, .tick, .loaded, .storeFailed, .notice, .verified, .entry, .settings: nil
        }
    }
}
