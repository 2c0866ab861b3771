package lint

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/injection"
	"github.com/packgen/packgen/compiler/secret"
)

// Scanned is what Scan found in a file.
type Scanned struct {
	// Diagnostics are those of injectionFindings and SecretFindings, without
	// what the file suppresses.
	Diagnostics []diag.Diagnostic
	// Secrets are the known ones that the file does not suppress: what must not be
	// published. A guess is reported and published.
	Secrets    []secret.Hit
	Suppressed []Suppressed // what the file suppresses
}

// Scan looks for instruction-like text and for secrets in one file of a pack,
// given its decoded text: for instructions in the guide, in documents, pages,
// views and sources, for secrets in every file. The suppressions of the file
// apply.
func Scan(path string, text []byte) Scanned {
	injections := injectionsIn(path, text)
	hits := secret.Find(text)
	if len(injections)+len(hits) == 0 {
		return Scanned{}
	}
	var out Scanned
	if by, _ := Suppressions(path, text); len(by) > 0 {
		if isSource(path) {
			by = slices.DeleteFunc(by, func(s Suppression) bool { return s.Rule == idInjection })
		}
		all := append(injectionFindings(path, text, injections), SecretFindings(path, text, hits)...)
		_, out.Suppressed = suppress(path, all, by)
		covers := coverage(idInjection, text, by)
		injections = slices.DeleteFunc(injections, func(h injection.Hit) bool { return covers(h.Start) })
		covers = coverage(idSecret, text, by)
		hits = slices.DeleteFunc(hits, func(h secret.Hit) bool { return covers(h.Start) })
	}
	out.Diagnostics = append(injectionFindings(path, text, injections), SecretFindings(path, text, hits)...)
	for _, h := range hits {
		if h.Known {
			out.Secrets = append(out.Secrets, h)
		}
	}
	return out
}

// ScanForeign is Scan for a file of a pack from elsewhere. Its text is evidence from
// anywhere: instructions are looked for in every file, and no comment in it can vouch
// for its text. Its author may say that a value is not a secret.
func ScanForeign(path string, text []byte) Scanned {
	out := Scan(path, text)
	out.Diagnostics = slices.DeleteFunc(out.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == idInjection })
	out.Diagnostics = append(Instructions(path, text), out.Diagnostics...)
	return out
}

// Instructions looks for instruction-like text in a file of a pack from elsewhere,
// whatever the file is and whatever the comments in it say.
func Instructions(path string, text []byte) []diag.Diagnostic {
	return injectionFindings(path, text, injection.Find(text, injection.Options{Raw: !isProse(path)}))
}

// injectionsIn looks for instructions in a file whose text may reach a model. A
// source is evidence from anywhere: no comment in it can vouch for its text.
func injectionsIn(path string, text []byte) []injection.Hit {
	switch {
	case isSource(path):
		return injection.Find(text, injection.Options{Raw: !isProse(path)})
	case path == "boot.yml": // a boot says its texts to an agent
		return injection.Find(text, injection.Options{Raw: true})
	case strings.HasSuffix(path, ".md"):
		return injection.Find(text, injection.Options{LeaveOut: suppressesInjection})
	}
	return nil
}

// isSource reports a file of the raw layer.
func isSource(path string) bool { return strings.HasPrefix(path, "sources/") }

// coverage returns a test whether a suppression of a rule covers an offset. It is
// quick where offsets ascend.
func coverage(rule string, text []byte, by []Suppression) func(offset int) bool {
	p := placer{text: text, line: 1}
	return func(offset int) bool {
		d := diag.Diagnostic{ID: rule}
		d.Line, _ = p.place(offset)
		return slices.ContainsFunc(by, func(s Suppression) bool { return s.Covers(&d) })
	}
}
