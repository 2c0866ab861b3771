package context

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// maxLooks is how many instructions of one file are reported.
const maxLooks = 3

// look takes invisible characters out of the selected texts, and reports it. In a pack from
// elsewhere it also reports what reads like an instruction: nobody here has checked it,
// and no comment in it can vouch for it.
func (c *choice) look(files []File) []Warning {
	var list []Warning
	for i := range files {
		f := &files[i]
		clean, n := invisible.Remove(f.Text)
		if n > 0 {
			f.Text, f.Tokens = clean, token.Estimate(clean)
			list = append(list, Warning{diag.Warning, f.Path, leftOutText(n)})
		}
		if c.isForeign() {
			list = append(list, instructionsIn(f)...)
		}
	}
	return list
}

func leftOutText(n int) string {
	if n == 1 {
		return "1 invisible character is left out."
	}
	return fmt.Sprintf("%d invisible characters are left out.", n)
}

// isForeign reports a pack from elsewhere.
func (c *candidate) isForeign() bool { return c.Unapproved || c.MaxTrust != "" }

// instructionsIn says what in a text reads like an instruction.
func instructionsIn(f *File) []Warning {
	var list []Warning
	for _, d := range lint.Instructions(f.Path, []byte(f.Text)) {
		if d.Severity != diag.Warning {
			continue
		}
		if len(list) == maxLooks {
			list = append(list, Warning{diag.Warning, f.Path, "More text in it reads like an instruction."})
			break
		}
		list = append(list, Warning{diag.Warning, f.Path, d.Message})
	}
	return list
}

// show takes invisible characters out of the sentences of a resolution, which quote packs.
// Names and paths stay as they are: who reads them opens files by them, and what prints
// them escapes what cannot be seen.
func (r *Resolution) show() {
	for i := range r.Missing {
		r.Missing[i], _ = invisible.Remove(r.Missing[i])
	}
	for _, list := range [][]Warning{r.Warnings, r.CompileWarnings} {
		for i := range list {
			list[i].Message, _ = invisible.Remove(list[i].Message)
		}
	}
}

// showEntry does so with all texts of an entry of a catalog.
func showEntry(e *schema.CatalogEntry) {
	list := []*string{&e.Name, &e.Description, &e.Type, &e.Version, &e.Language, &e.Scope, &e.Compatibility, &e.PrimaryDocument, &e.PrimaryOntology, &e.Location}
	if e.ProducedBy != nil {
		by := *e.ProducedBy
		e.ProducedBy = &by
		list = append(list, &by.Kind, &by.Name, &by.Version, &by.Digest)
	}
	for _, text := range list {
		*text, _ = invisible.Remove(*text)
	}
}
