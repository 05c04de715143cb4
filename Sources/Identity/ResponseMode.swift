/// How the provider sends its answer back through the browser (OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0
/// Form Post Response Mode).
public enum ResponseMode: String, Hashable, Sendable, CaseIterable {
    /// In the query of the redirect: what a code flow does unless told otherwise.
    case query
    /// As a form that the browser posts, so that the code stands in no address and no history.
    case formPost = "form_post"
}
