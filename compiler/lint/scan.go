package lint

import (
	"bytes"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
)

// Scanned is what Scan found in a file.
type Scanned struct {
	// Diagnostics are those of InjectionFindings and SecretFindings, without
	// what the file suppresses.
	Diagnostics []diag.Diagnostic
	Secrets     []Hit // those that the file does not suppress
}

// Scan looks for instruction-like text and for secrets in one file of a pack,
// given its decoded text: for instructions in the guide, in documents, pages,
// views and sources, for secrets in every file. In Markdown and prose the
// suppressions of the file are heeded.
func Scan(path string, text []byte) Scanned {
	var injections []Hit
	switch dir, _, _ := strings.Cut(path, "/"); {
	case dir == "sources" && !isProse(path):
		injections = InjectionRaw(text)
	case dir == "sources", strings.HasSuffix(path, ".md"):
		injections = Injection(text)
	}
	out := Scanned{Secrets: Secrets(text)}
	if len(injections)+len(out.Secrets) == 0 {
		return out
	}
	if isProse(path) {
		if by, _ := Suppressions(path, text); len(by) > 0 {
			injections = unsuppressed(idInjection, text, injections, by)
			out.Secrets = unsuppressed(idSecret, text, out.Secrets, by)
		}
	}
	out.Diagnostics = append(InjectionFindings(path, text, injections), SecretFindings(path, text, out.Secrets)...)
	return out
}

// unsuppressed returns the hits that no suppression covers. Hits come in order of
// their place.
func unsuppressed(rule string, text []byte, hits []Hit, by []Suppression) []Hit {
	var kept []Hit
	line, at := 1, 0
	for _, h := range hits {
		line += bytes.Count(text[at:h.Start], []byte("\n"))
		at = h.Start
		d := diag.Diagnostic{ID: rule, Line: line}
		covered := false
		for i := range by {
			covered = covered || by[i].covers(&d)
		}
		if !covered {
			kept = append(kept, h)
		}
	}
	return kept
}
