package library

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// Remove takes references out of the lock, each as written or by the name of its pack,
// and returns them as written. With dryRun nothing is written.
func (e *elsewhere) Remove(ctx context.Context, texts []string, dryRun bool) ([]string, error) {
	if len(texts) == 0 {
		return nil, diag.WithHint(errors.New("remove needs the references or packs"), "try packgen lock remove handbook")
	}
	var refs []string
	for _, text := range texts {
		found := remote.LockedNames(e.Lock, text)
		if remote.Locked(e.Lock, text) != nil {
			found = []string{text}
		}
		switch len(found) {
		case 0:
			return nil, diag.WithHint(fmt.Errorf("%s: %s does not hold it", diag.Printable(text), schema.LockName), "run packgen lock list, and name a reference or a pack")
		case 1:
			refs = append(refs, found[0])
		default:
			return nil, diag.WithHint(fmt.Errorf("%s names %d references of %s", text, len(found), schema.LockName), "write one of them: %s", strings.Join(found, ", "))
		}
	}
	if dryRun {
		return refs, nil
	}
	changed, err := e.Cache.Unlock(ctx, e.ws.Paths.Dir, refs)
	if err != nil {
		return nil, repo.ExplainWrite(err)
	}
	if err := e.indexLocked(ctx, changed); err != nil {
		e.ws.Remark("warning: the prompt hook still sees what was removed: %s", err)
	}
	return refs, nil
}

// Summary is what an update of the lock changes, as Markdown for a pull request.
func (e *elsewhere) Summary(list []*Pulled) string {
	var b strings.Builder
	rows := 0
	for _, p := range list {
		if p.Err != nil || p.Artifact == nil || p.State == "locked" {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("| Pack | Version | Signer | Size | Findings | Tree | Reference |\n| --- | --- | --- | --- | --- | --- | --- |\n")
		}
		now, before := &p.Artifact.Entry, remote.Locked(e.Lock, p.Artifact.Entry.Ref)
		cells := []string{
			now.Pack, change(versionOf(before), versionOf(now)), change(signerOf(before), signerOf(now)), change(e.sizeBefore(before), sizeOf(p.Artifact.Files())),
			change(findingsOf(before), findingsOf(now)), change(treeOf(before), treeOf(now)), now.Ref,
		}
		for _, c := range cells {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	if rows == 0 {
		return fmt.Sprintf("%s holds what its references mean now.\n", schema.LockName)
	}
	return b.String()
}

// cell is a text of a pack that a table shows as it is.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "`", "\\`", "<", "&lt;", "[", "\\[", "@", "@\u200b").Replace(diag.Printable(text))
}

func change(before, now string) string {
	if before == now || before == "" {
		return now
	}
	return before + " → " + now
}

func versionOf(r *schema.LockedRef) string {
	switch {
	case r == nil:
		return ""
	case r.Version == "":
		return "none"
	}
	return r.Version
}

// signerOf names who signed, where a signature was asked for.
func signerOf(r *schema.LockedRef) string {
	switch {
	case r == nil:
		return ""
	case r.Signature == nil:
		return "none"
	}
	return signature.Of(r.Signature).String()
}

func findingsOf(r *schema.LockedRef) string {
	if r == nil || r.Inspection == nil {
		return ""
	}
	total := 0
	for _, f := range r.Inspection.Findings {
		total += f.Count
	}
	return amount.Grouped(total)
}

// treeOf is the beginning of a tree hash, which is enough for people.
func treeOf(r *schema.LockedRef) string {
	const enough = 15
	if r == nil {
		return ""
	}
	return r.Tree[:min(len(r.Tree), enough)]
}

func sizeOf(files []archive.File) string {
	var total int64
	for _, f := range files {
		total += f.Size
	}
	return amount.Size(total)
}

// sizeBefore is the size of what is locked, "" when the cache does not have it.
func (e *elsewhere) sizeBefore(before *schema.LockedRef) string {
	if before == nil {
		return ""
	}
	total, ok := e.Cache.Size(before.Tree)
	if !ok {
		return ""
	}
	return amount.Size(total)
}
