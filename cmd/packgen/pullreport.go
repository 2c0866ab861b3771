package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/workspace"
)

// pulledPack is what the envelope says about one reference.
type pulledPack struct {
	schema.LockedRef
	State string `json:"state"` // locked, added, updated
	From  string `json:"from"`  // cache, or where it came from: the source
	Files int    `json:"files"`
	Out   string `json:"out,omitempty"`
}

// reportPull prints what became of each reference, and ends with the gravest exit
// code among them.
func (a *app) reportPull(f pullFlags, list []*pulled, changed bool) error {
	code := exitDone
	head := envelope{OK: true, Status: "passed", Command: "pull", Findings: []finding{}}
	packs := []pulledPack{}
	for _, p := range list {
		head.Findings = append(head.Findings, findingsOf(p.found)...)
		if diag.Count(p.found, diag.Error) > 0 {
			head.OK = false
		}
		if diag.Count(p.found, diag.Error)+diag.Count(p.found, diag.Warning) > 0 && head.Status == "passed" {
			head.Status = "needs-review"
		}
		if !a.json && len(p.found) > 0 {
			a.printFindings(p.found, map[string]string{p.artifact.Name: p.artifact.Name})
		}
		if p.err != nil {
			code = max(code, codeOf(p.err))
			head.OK, head.Status = false, "failed"
			head.Findings = append(head.Findings, failure("pull", p.err).Findings...)
			if !a.json {
				a.printError(p.err)
			}
			continue
		}
		from := "cache"
		if p.artifact.Fetched || p.ref.IsLocal() {
			from = p.artifact.Entry.Source
		}
		packs = append(packs, pulledPack{p.artifact.Entry, p.state, from, len(p.artifact.Files()), p.out})
	}
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun  bool         `json:"dry_run"`
			Lock    string       `json:"lock"`
			Changed bool         `json:"changed"` // the lock, or it would be
			Packs   []pulledPack `json:"packs"`
		}{head, f.dryRun, schema.LockName, changed, packs})
	} else {
		a.printPulled(f, packs, changed, code)
	}
	if code != exitDone {
		return &endCode{code}
	}
	return nil
}

func (a *app) printPulled(f pullFlags, packs []pulledPack, changed bool, code int) {
	if a.quiet || len(packs) == 0 {
		return
	}
	t := &table{}
	t.add("PACK", "VERSION", "STATE", "FROM", "TREE", "REFERENCE")
	for _, p := range packs {
		version := p.Version
		if version == "" {
			version = "-"
		}
		t.add(diag.Printable(p.Pack), diag.Printable(version), p.State, p.From, p.Tree, diag.Printable(p.Ref))
	}
	t.write(a.stdout)
	for _, p := range packs {
		if p.Out != "" {
			verb := "wrote"
			if f.dryRun {
				verb = "would write"
			}
			fmt.Fprintf(a.stdout, "%s %s: %s\n", verb, diag.Printable(p.Out), amount.Counted(p.Files, "file"))
		}
	}
	switch {
	case code != exitDone:
		fmt.Fprintf(a.stderr, "%s is as it was\n", schema.LockName)
	case changed && f.dryRun:
		fmt.Fprintf(a.stdout, "would change %s\n", schema.LockName)
	case changed:
		fmt.Fprintf(a.stdout, "wrote %s\n", schema.LockName)
	}
}

// writeOut writes the packs below the directory of --out. Each appears there when
// it is whole.
func (e *elsewhere) writeOut(ctx context.Context, f pullOptions, list []*pulled) error {
	if f.out == "" {
		return nil
	}
	out := e.ws.Path(f.out)
	for _, p := range list {
		to := filepath.Join(out, p.artifact.Name)
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return diag.Refuse(diag.WithHint(fmt.Errorf("--out: %s is there already", e.ws.Rel(to)), "Remove it, or name another directory; nothing was written."))
		}
		for _, other := range list {
			if other != p && other.artifact.Name == p.artifact.Name {
				return diag.Refuse(diag.WithHint(fmt.Errorf("--out: two references lead to packs named %s", p.artifact.Name), "Pull them one after the other into different directories."))
			}
		}
		p.out = e.ws.Rel(to)
	}
	if f.dryRun {
		return nil
	}
	for _, p := range list {
		if err := writePack(ctx, p, out); err != nil {
			return workspace.ExplainWrite(fmt.Errorf("--out: %w", err))
		}
	}
	return nil
}

// writePack writes the files of a pack and its pack.json beside the place, then
// renames.
func writePack(ctx context.Context, p *pulled, out string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(out, ".packgen-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	staged := filepath.Join(temp, "pack")
	files := p.artifact.Files()
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyOut(p, files[i], staged); err != nil {
			return err
		}
	}
	if p.artifact.Manifest != nil {
		if err := os.WriteFile(filepath.Join(staged, schema.PackManifestName), p.artifact.Manifest, 0o666); err != nil {
			return err
		}
	}
	if err := checkObeyed(staged, p.artifact.Name); err != nil {
		return err
	}
	return os.Rename(staged, filepath.Join(out, p.artifact.Name))
}

// checkObeyed refuses a written pack in which the file system, which may not tell
// letter case apart, finds a file that agents take for instructions.
func checkObeyed(dir, name string) error {
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		for _, obeyed := range packpath.Obeyed() {
			if _, err := os.Lstat(filepath.Join(at, obeyed)); err == nil {
				rel, _ := filepath.Rel(dir, filepath.Join(at, obeyed)) // at is below dir
				return diag.WithHint(fmt.Errorf("%s: this file system finds %s in the pack, which agents take for instructions", diag.Printable(name), diag.Printable(filepath.ToSlash(rel))),
					"Pull it without --out: it is used from the cache as before.")
			}
		}
		return nil
	})
}

func copyOut(p *pulled, f archive.File, dir string) error {
	if err := packpath.CheckPublished(f.Path); err != nil {
		return fmt.Errorf("%s: %w", diag.Printable(f.Path), err)
	}
	data, err := fs.ReadFile(p.artifact.FS, f.Path)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
