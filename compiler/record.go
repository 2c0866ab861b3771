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
		for i := range f.sections {
			s := &f.sections[i]
			if s.split.Path == "" {
				continue
			}
			s.split.Order = len(x.Splits) + 1
			x.Splits = append(x.Splits, s.split)
			x.TotalTokenEstimate += s.split.TokenEstimate
			c.coverage = append(c.coverage, s.coverage)
		}
		f.sections = nil
	}
	return x
}

// run builds the run record (section 9) from sorted diagnostics.
func (c *compilation) run(index *schema.Index, found []diag.Diagnostic, outputs []schema.RunOutput) schema.Run {
	meta := &c.pack.Meta
	r := schema.Run{
		RunID: c.history.freeID(c.opt.Now), Trigger: c.opt.Trigger, Status: outcome(found),
		Compiler: schema.RunCompiler{Tool: toolName, Version: Version},
		Inputs:   c.runInputs(), Outputs: outputs, Diagnostics: recordDiagnostics(found),
		Profile: c.profile, RuntimeMode: c.mode, PrimaryDocument: secret.RedactPath(meta.PrimaryDocument),
		Documents: c.runDocuments(), Chapters: c.chapters(index),
	}
	if meta.Status == disputed { // section 14.1: a disputed pack compiles, and never passes
		r.Status = worse(r.Status, disputed)
	}
	r.Review.Required = r.Status != passed
	if worst := slices.IndexFunc(r.Diagnostics, func(d schema.RunDiagnostic) bool {
		return d.Severity != diag.Info.String()
	}); worst >= 0 && r.Review.Required {
		r.Review.Reason = r.Diagnostics[worst].Message
	}
	if by := meta.ProducedBy; by != nil && by.Name != "" && (by.Kind == "agent-skill" || by.Kind == "skill") {
		r.BuilderSkill = &schema.RunBuilder{Name: by.Name, Version: by.Version, Digest: by.Digest}
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
		if !strings.HasPrefix(f.path, "documents/") {
			continue
		}
		d := schema.RunDocument{Path: f.path, Role: "supporting", Status: f.info.Status, SHA256: f.info.SHA256}
		if f.path == c.pack.Meta.PrimaryDocument {
			d.Role = "primary"
		}
		list = append(list, d)
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
