// Package server shows a site while it is being written: it serves the site from memory,
// watches the files that it is made of, builds again when one changes, and notifies the
// open pages what changed.
//
//	files ─[Watcher]─> Change ─Options.Build─> Draft ─Commit─> siteTree ─[handler]─> browser
//	                                              └─ what changed ─[events]─> open pages
//
// Nothing is written to the published directory. A build that fails leaves the
// tree as it was, so the last good site stays up with the findings shown over it.
package server
