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
	injections := injectionsIn(path, text)
	out := Scanned{Secrets: Secrets(text)}
	if len(injections)+len(out.Secrets) == 0 {
		return out
	}
	if isProse(path) {
		if by, _ := Suppressions(path, text); len(by) > 0 {
			if !isSource(path) {
				injections = unsuppressed(idInjection, text, injections, by)
			}
			out.Secrets = unsuppressed(idSecret, text, out.Secrets, by)
		}
	}
	out.Diagnostics = append(InjectionFindings(path, text, injections), SecretFindings(path, text, out.Secrets)...)
	return out
}

// injectionsIn looks for instructions in a file whose text may reach a model. A
// source is evidence from anywhere: no comment in it speaks for what it says.
func injectionsIn(path string, text []byte) []Hit {
	switch {
	case isSource(path) && !isProse(path):
		return InjectionRaw(text)
	case isSource(path):
		s := injectionScan{text: text, markdown: true, source: true}
		return s.run()
	case strings.HasSuffix(path, ".md"):
		return Injection(text)
	}
	return nil
}

// isSource reports a file of the raw layer.
func isSource(path string) bool { return strings.HasPrefix(path, "sources/") }

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
