package compiler

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// indexPath is the manifest of views and splits (agent-knowledge section 6.7).
const indexPath = "compiled/index.json"

// index builds compiled/index.json; splits get their order here. From then on the
// sections of files are not needed any more.
func (c *compilation) index(views []schema.View) schema.Index {
	n := 0
	for _, f := range c.files {
		n += len(f.sections)
	}
	x := schema.Index{
		SchemaVersion: 1, Pack: c.pack.Meta.Name, Profile: c.profile, RuntimeMode: c.mode,
		PrimaryDocument: secret.RedactPath(c.pack.Meta.PrimaryDocument), Views: views, Splits: make([]schema.Split, 0, n),
	}
	for _, v := range views {
		x.TotalTokenEstimate += v.TokenEstimate
	}
	for _, f := range c.files {
		x.Splits = append(x.Splits, c.splitsOf(f, len(x.Splits))...)
		f.sections = nil
	}
	for i := range x.Splits {
		x.TotalTokenEstimate += x.Splits[i].TokenEstimate
	}
	return x
}

// splitsOf lists the splits of a file behind a number of others, and notes how well
// they are covered.
func (c *compilation) splitsOf(f *file, others int) []schema.Split {
	var list []schema.Split
	for i := range f.sections {
		s := &f.sections[i]
		if s.split.Path == "" {
			continue
		}
		s.split.Order = others + len(list) + 1
		list = append(list, s.split)
		c.coverage = append(c.coverage, s.coverage)
	}
	return list
}

// run builds the run record (section 9) from what was found, except for what it says
// of inputs. What calls for a review is the worst finding, not the first of
// the record: those are in the order of severity and path, in which a claim that
// needs a source can be before a dispute.
func (c *compilation) run(found []diag.Diagnostic, outputs []schema.RunOutput) schema.Run {
	meta := &c.pack.Meta
	found = c.forRecord(found)
	status, worst := worstOf(c.gated(found))
	r := schema.Run{
		SchemaVersion: schema.RunVersion,
		RunID:         c.history.freeID(c.opt.Now), Trigger: c.opt.Trigger, Status: status,
		Compiler: schema.RunCompiler{Tool: toolName, Version: Version},
		Outputs:  outputs, Diagnostics: recordDiagnostics(found),
		Profile: c.profile, RuntimeMode: c.mode, PrimaryDocument: secret.RedactPath(meta.PrimaryDocument),
	}
	if meta.Status == disputed { // section 14.1: a disputed pack compiles, and never passes
		r.Status = worse(r.Status, disputed)
	}
	r.Review.Required = r.Status != passed
	if worst != nil {
		r.Review.Reason = secret.Redact(worst.Record())
	}
	if by := meta.ProducedBy; by != nil && by.Name != "" && (by.Kind == "agent-skill" || by.Kind == "skill") {
		r.BuilderSkill = &schema.RunBuilder{Name: secret.RedactKnown(by.Name), Version: secret.RedactKnown(by.Version), Digest: secret.RedactKnown(by.Digest)}
	}
	return r
}

// runInputs lists every input with its hash, in path order.
func (c *compilation) runInputs() []schema.RunInput {
	list := make([]schema.RunInput, 0, len(c.inputs))
	for _, name := range sortedKeys(c.inputs) {
		list = append(list, schema.RunInput{Path: name, SHA256: c.inputs[name].sha256})
	}
	return list
}

// runDocuments lists the Markdown files under documents/, the primary one first.
func (c *compilation) runDocuments() []schema.RunDocument {
	list := []schema.RunDocument{}
	for _, f := range c.files {
		if strings.HasPrefix(f.path, "documents/") {
			list = append(list, schema.RunDocument{Path: f.path, Status: f.info.Status, SHA256: f.info.SHA256})
		}
	}
	return c.rankDocuments(list)
}

// rankDocuments gives documents their roles, and the primary one the first place.
func (c *compilation) rankDocuments(list []schema.RunDocument) []schema.RunDocument {
	for i := range list {
		list[i].Role = "supporting"
		if list[i].Path == c.pack.Meta.PrimaryDocument {
			list[i].Role = "primary"
		}
	}
	slices.SortStableFunc(list, func(a, b schema.RunDocument) int {
		if a.Role != b.Role {
			return strings.Compare(a.Role, b.Role) // "primary" sorts before "supporting"
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list
}

// chapters lists the splits with how well sources cover them.
func (c *compilation) chapters(index *schema.Index) []schema.RunChapter {
	list := make([]schema.RunChapter, len(index.Splits))
	for i, s := range index.Splits {
		list[i] = schema.RunChapter{
			ID: s.ID, Title: s.Title, Document: s.Document, Path: s.Path,
			Coverage: c.coverage[i], Tokens: s.TokenEstimate, SourceAnchors: s.SourceAnchors,
		}
	}
	return list
}
