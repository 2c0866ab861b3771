package templates

import (
	"bytes"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
)

// Kept is the notice about a pack that could not be built.
func Kept(name string, errors int) Notice {
	why := "has " + amount.Counted(errors, "error")
	if errors == 0 {
		why = "could not be built"
	}
	return Notice{
		Kind: keptKind, Title: "Not up to date.",
		Text: fmt.Sprintf("The pack %s %s. Its pages are those of its last good build.", name, why),
	}
}

// keptKind are the CSS classes of that notice. No other notice has them.
const keptKind = "failed kept"

// Marks in the pages of this package.
var (
	mainTag    = []byte("<main id=s.main")
	keptNotice = []byte(`<div class="notice ` + keptKind + `"`)
	noticeEnd  = []byte("</div>\n")
)

// WithKept returns a page of an earlier site with the notice at the head of its content,
// in the place of the one that it may have there. A page without content of its own, such
// as a redirect, is returned as it is.
func WithKept(page []byte, n Notice) []byte {
	at := bytes.Index(page, mainTag)
	if at < 0 {
		return page
	}
	end := bytes.Index(page[at:], []byte(">\n"))
	if end < 0 {
		return page
	}
	at += end + len(">\n")
	rest := page[at:]
	if bytes.HasPrefix(rest, keptNotice) {
		if end := bytes.Index(rest, noticeEnd); end >= 0 {
			rest = rest[end+len(noticeEnd):]
		}
	}
	m := Markup{B: make([]byte, 0, len(page)+400)}
	m.B = append(m.B, page[:at]...)
	m.notice(n)
	m.B = append(m.B, rest...)
	return m.B
}
