package compiler

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// indexPath is the manifest of views and splits (agent-knowledge section 6.7).
const indexPath = "compiled/index.json"

// index builds compiled/index.json; splits get their order here.
func (c *compilation) index(views []schema.View) schema.Index {
	x := schema.Index{
		SchemaVersion: 1, Pack: c.pack.Meta.Name, Profile: c.profile, RuntimeMode: c.mode,
		PrimaryDocument: c.pack.Meta.PrimaryDocument, Views: views, Splits: []schema.Split{},
	}
	for _, v := range views {
		x.TotalTokenEstimate += v.TokenEstimate
	}
	for _, f := range c.files {
		for i := range f.sections {
			s := &f.sections[i].split
			if s.Path == "" {
				continue
			}
			s.Order = len(x.Splits) + 1
			x.Splits = append(x.Splits, *s)
			x.TotalTokenEstimate += s.TokenEstimate
		}
	}
	return x
}

// run builds the run record (section 9) from sorted diagnostics.
func (c *compilation) run(found []diag.Diagnostic, outputs []schema.RunOutput) schema.Run {
	meta := &c.pack.Meta
	r := schema.Run{
		RunID: c.history.freeID(c.opt.Now), Trigger: c.opt.Trigger, Status: outcome(found),
		Compiler: schema.RunCompiler{Tool: toolName, Version: Version},
		Inputs:   c.runInputs(), Outputs: outputs, Diagnostics: recordDiagnostics(found),
		Profile: c.profile, RuntimeMode: c.mode, PrimaryDocument: meta.PrimaryDocument,
		Documents: c.runDocuments(), Chapters: c.chapters(),
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
func (c *compilation) chapters() []schema.RunChapter {
	list := []schema.RunChapter{}
	for _, f := range c.files {
		for i := range f.sections {
			s := &f.sections[i]
			if s.split.Path == "" {
				continue
			}
			list = append(list, schema.RunChapter{
				ID: s.split.ID, Title: s.title, Document: f.path, Path: s.split.Path,
				Coverage: s.coverage, Tokens: s.split.TokenEstimate, SourceAnchors: s.anchors,
			})
		}
	}
	return list
}
