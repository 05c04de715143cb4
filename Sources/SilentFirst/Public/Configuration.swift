public import Identity

/// The application, its authority and its token store: an alias for ``/Identity/ClientConfiguration``.
public typealias ClientConfiguration = Identity.ClientConfiguration

/// Network settings: an alias for ``/Identity/NetworkSettings``.
public typealias NetworkSettings = Identity.NetworkSettings
