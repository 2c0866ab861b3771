package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// claimText is one claim unit of a view.
type claimText struct {
	key      string // folded
	text     string
	anchored bool
}

// claimTable knows the claims of the primary source by their folded text.
type claimTable struct {
	status map[string]string // worst status of the claim now
	once   map[string]bool   // claims of the source map on disk
}

func newClaimTable() *claimTable {
	return &claimTable{status: map[string]string{}, once: map[string]bool{}}
}

// earlier takes in the source map on disk.
func (t *claimTable) earlier(m *schema.SourceMap) {
	for _, c := range m.Claims {
		t.once[foldText(c.Text)] = true
	}
}

// now takes in the source map of the compile.
func (t *claimTable) now(m *schema.SourceMap) {
	rank := []string{"", "confirmed", "inferred", "missing", "source-required", "stale", "disputed"}
	for _, c := range m.Claims {
		key := foldText(c.Text)
		if slices.Index(rank, c.Status) > slices.Index(rank, t.status[key]) {
			t.status[key] = c.Status
		}
	}
}

// checkClaims reports stale claims and views that disagree with their source.
func (r *run) checkClaims() {
	if r.in.SourceMap == nil {
		return
	}
	for _, c := range r.in.SourceMap.Claims {
		if c.Status != "stale" {
			continue
		}
		at := place{}
		if p := r.byPath[c.Document]; p != nil {
			at = p.places[foldText(c.Text)]
		}
		why := "it is marked so"
		if c.Source.Path != "" {
			why = "see " + c.Source.Path
		}
		r.raise(idClaimStale, c.Document, at.line, at.column, fmt.Sprintf("Stale claim %q: %s.", clip(secret.Redact(c.Text)), why),
			"check it against the source, then correct its words or anchor, mark it [status: confirmed], or drop the marker that calls it stale")
	}
	for _, v := range r.views {
		r.checkView(v)
	}
}

// checkView compares the claims of a hand-kept view with the primary source.
func (r *run) checkView(v *page) {
	for _, c := range v.texts {
		at := v.places[c.key]
		status, known := r.claims.status[c.key]
		said := ""
		switch {
		case status == "disputed", status == "stale":
			said = "the primary source calls it " + status
		case !known && (r.claims.once[c.key] || c.anchored && v.path == "compiled/facts.md"):
			said = "the primary source no longer says so"
		default:
			continue
		}
		r.raise(idViewContradicts, v.path, at.line, at.column, fmt.Sprintf("The view states %q; %s.", clip(secret.Redact(c.text)), said),
			"compile again, or correct the view")
	}
}

// maxQuoted is the longest text of a user that a message quotes, in bytes.
const maxQuoted = 120

// clip cuts a text for a message.
func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuoted], "") + "…"
}
