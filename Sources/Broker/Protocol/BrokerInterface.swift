/// The names of the broker's interface on the session bus.
package enum BrokerInterface {
    package static let name = "com.microsoft.identity.broker1"
    package static let path = "/com/microsoft/identity/broker1"
    package static let interface = "com.microsoft.identity.Broker1"
    /// What every caller sends; nobody negotiates.
    package static let protocolVersion = "0.0"
    /// Owned by foyer's broker besides, so that foyer never asks itself.
    package static let ownName = "foyer.Broker"
    /// What callers of the broker for native applications are redirected to, and register.
    package static let redirectURI = "https://login.microsoftonline.com/common/oauth2/nativeclient"

    /// Each takes the version, a correlation identifier and a request, and returns an answer; the last two are JSON.
    package enum Method: String, CaseIterable, Sendable {
        case acquireTokenSilently, acquireTokenInteractively, getAccounts, removeAccount, acquirePrtSsoCookie,
            generateSignedHttpRequest, cancelInteractiveFlow, getLinuxBrokerVersion
    }

    /// What `Introspect` answers: clients in Java, and those that look before they call, need it.
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
