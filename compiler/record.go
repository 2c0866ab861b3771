package compiler

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// run builds the run record (section 9) from what was found. What calls for a review is the worst finding, not the first of
// the record: those are in the order of severity and path, in which a claim that
// needs a source can be before a dispute.
func (j *joined) run(found []diag.Diagnostic) schema.Run {
	meta := &j.pack.Meta
	found = j.forRecord(found)
	status, worst := worstOf(j.gated(found))
	r := schema.Run{
		HasLedger: true,
		RunID:     j.history.freeID(j.opt.Now), Trigger: j.opt.Trigger, Status: status,
		Compiler: schema.RunCompiler{Tool: toolName, Version: Version},
		Outputs:  j.out.records(), Diagnostics: recordDiagnostics(found),
		Profile: j.profile, RuntimeMode: j.mode, PrimaryDocument: secret.RedactPath(meta.PrimaryDocument),
	}
	if meta.Status == schema.Disputed { // section 14.1: a disputed pack compiles, and never passes
		r.Status = schema.Worse(r.Status, schema.Disputed)
	}
	r.Inputs, r.Documents, r.Chapters = j.runInputs(), j.runDocuments(), j.chapters()
	r.Claims, r.RemovedClaims = j.ledger.Records()
	r.IndexSHA256, r.SourceMapSHA256 = j.out.sums[indexPath].String(), j.out.sums[sourceMapPath].String()
	r.Review.Required = r.Status != schema.Passed
	if worst != nil {
		r.Review.Reason = secret.Redact(worst.Record())
	}
	if by := meta.ProducedBy; by != nil && by.Name != "" && (by.Kind == "agent-skill" || by.Kind == "skill") {
		r.BuilderSkill = &schema.RunBuilder{Name: secret.RedactKnown(by.Name), Version: secret.RedactKnown(by.Version), Digest: secret.RedactKnown(by.Digest)}
	}
	return r
}

// writeRun writes the record of a run and its ledger.
func (w *outputs) writeRun(path string, run *schema.Run) error {
	if w.tx == nil {
		return nil
	}
	ledger, err := run.Ledger()
	if err != nil {
		return err
	}
	// A ledger without a record says nothing, a record without its ledger is damaged.
	if _, err := w.tx.PutFrom(publish.File{
		Path: schema.RunLedgerPath(path), Content: func(to io.Writer) error { return schema.Write(to, ledger) }, Last: true, Differs: true,
	}); err != nil {
		return err
	}
	_, err = w.tx.PutFrom(publish.File{Path: path, Content: func(to io.Writer) error { return schema.Write(to, run) }, Last: true, Differs: true})
	return err
}

// dropRuns removes the oldest of the earlier runs, newest first, where more are kept than
// the options say, and returns those that stay. Runs without a ledger are another tool's.
func (g *judged) dropRuns(recorded []string) (stay []string, err error) {
	if g.opt.KeepRuns == 0 {
		return recorded, nil
	}
	own := 1 // the run that is written now
	for _, record := range recorded {
		ledger := schema.RunLedgerPath(record)
		if !g.out.old.Holds(record) || !g.out.old.Holds(ledger) {
			stay = append(stay, record)
			continue
		}
		if own++; own <= g.opt.KeepRuns {
			stay = append(stay, record)
			continue
		}
		for _, name := range []string{record, ledger} {
			g.out.ops[name] = publish.Deleted
			if g.out.tx == nil {
				continue
			}
			if err := g.out.tx.Delete(name); err != nil {
				return nil, err
			}
		}
	}
	return stay, nil
}

// runInputs lists every input with its hash, in path order.
func (j *joined) runInputs() []schema.RunInput {
	list := make([]schema.RunInput, 0, len(j.inputs))
	for _, name := range sortedKeys(j.inputs) {
		list = append(list, schema.RunInput{Path: name, SHA256: j.inputs[name].sha256})
	}
	return list
}

// runDocuments lists the Markdown files under documents/, the primary one first.
func (j *joined) runDocuments() []schema.RunDocument {
	list := []schema.RunDocument{}
	for _, f := range j.files {
		if !strings.HasPrefix(f.path, "documents/") {
			continue
		}
		role := "supporting"
		if f.path == j.pack.Meta.PrimaryDocument {
			role = "primary"
		}
		list = append(list, schema.RunDocument{Path: f.path, Role: role, Status: f.info.Status, SHA256: f.info.SHA256})
	}
	slices.SortFunc(list, func(a, b schema.RunDocument) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Path, b.Path)) // "primary" sorts before "supporting"
	})
	return list
}

// chapters lists the splits with how well sources cover them and what leads to them.
func (j *joined) chapters() []schema.RunChapter {
	list, routing := make([]schema.RunChapter, len(j.index.Splits)), j.routings()
	for i, s := range j.index.Splits {
		list[i] = schema.RunChapter{
			ID: s.ID, Title: s.Title, Document: s.Document, Path: s.Path,
			Coverage: j.coverage[i], Tokens: s.TokenEstimate, SourceAnchors: s.SourceAnchors,
			Routing: routing(s.ID, s.Document),
		}
	}
	return list
}
