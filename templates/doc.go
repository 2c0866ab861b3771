// Package templates writes the HTML pages of a site: one view struct for each kind of
// page, and the template that shows it.
//
// A view holds only what its page shows, so that a wrong name is found by the first test
// that renders the page. The templates are embedded and parsed once. Pages of which a
// site has thousands, documents and claims, are written by [Markup] instead, in a tenth
// of the time.
//
// Every page has a content security policy: it loads scripts, styles and pictures only
// from its own site, and only the match page runs WebAssembly. Pages are safe without
// the policy, and tested so.
//
// Every URL in a view is relative and already percent-encoded. Fields of type
// [template.HTML] come from the site's own renderer, which escapes all text of a pack.
package templates
