// Package htmltag reads the HTML that is in Markdown, tag by tag. It passes
// nothing through: what a page shows is written again from the names and values
// found here, and what this package does not understand is text.
package htmltag
