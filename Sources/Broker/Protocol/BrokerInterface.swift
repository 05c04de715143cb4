package enum BrokerInterface {
    package static let name = "com.microsoft.identity.broker1"
    package static let path = "/com/microsoft/identity/broker1"
    package static let interface = "com.microsoft.identity.Broker1"
    /// Sent by every caller; there is no negotiation.
    package static let protocolVersion = "0.0"
    /// Also owned by foyer's broker, so foyer never calls itself.
    package static let ownName = "foyer.Broker"
    /// The redirect URI that native clients register for the broker.
    package static let redirectURI = "https://login.microsoftonline.com/common/oauth2/nativeclient"

    /// Arguments: version, correlation ID, request in JSON. Result: a response in JSON.
    package enum Method: String, CaseIterable, Sendable {
        case acquireTokenSilently, acquireTokenInteractively, getAccounts, removeAccount, acquirePrtSsoCookie,
            generateSignedHttpRequest, cancelInteractiveFlow, getLinuxBrokerVersion
    }

    /// The response to `Introspect`: Java clients and those that introspect before a call need it.
    static var description: String {
        let methods = Method.allCases.map { method in
            """
            <method name="\(method.rawValue)"><arg name="protocolVersion" type="s" direction="in"/>\
            <arg name="correlationId" type="s" direction="in"/><arg name="requestJson" type="s" direction="in"/>\
            <arg name="responseJson" type="s" direction="out"/></method>
            """
        }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node><interface name="\(interface)">\(methods.joined())</interface>
            <interface name="org.freedesktop.DBus.Introspectable"><method name="Introspect">
            <arg name="data" type="s" direction="out"/></method></interface></node>
            """
    }
}
