package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

type memoryFlags struct {
	memory.Source
	out    string
	empty  bool
	dryRun bool
}

func newMemory(a *app) *cobra.Command {
	return grouping("", &cobra.Command{
		Use:   "memory",
		Short: "Index, check and publish a MEMORY.md store",
		Long: `memory works on a store of memories: a MEMORY.md whose lines refer to topic
files, such as

  - Release train — how a release is cut → ` + "`release.md`" + `
  - [Release train](release.md) — how a release is cut

A topic file may say in its front matter which words call it (id, keywords,
patterns, priority, triggers); otherwise they are taken from its name, its
headings, and the description that agents write. Nothing outside the store is opened.`,
	}, newMemoryIndex(a), newMemoryCheck(a), newMemoryPublish(a), newMemoryStats(a), newMemoryHealth(a))
}

// claudeDir is the directory in which Claude Code keeps what is of the user; "" for none.
func (a *app) claudeDir() string {
	home, _ := os.UserHomeDir()
	return hook.ClaudeDir(home, a.Getenv)
}

// needsMemory refuses a command without a MEMORY.md.
func needsMemory(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 1:
		return nil
	case 0:
		return diag.WithHint(errors.New("a path to MEMORY.md is required"), "try %s memory/MEMORY.md", cmd.CommandPath())
	}
	return diag.WithHint(fmt.Errorf("%s takes one MEMORY.md, found %q", cmd.CommandPath(), args[1]), "run %q for what it takes", cmd.CommandPath()+" --help")
}

func newMemoryIndex(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:   "index MEMORY.md|DIR",
		Short: "Make the loadout index of a store",
		Long: `index prints the index of a store, or writes it to the file of --out with a
prebuilt index.bin beside it. A reference without its file is left out with a warning;
a store with an error is not written, and neither is an
index without entries over one that has some, or any over a file that was not made of
a MEMORY.md.`,
		Example: "  packgen memory index memory/MEMORY.md\n  packgen memory index memory/MEMORY.md --out .claude/loadout/index.json",
		Args:    needsMemory,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runMemoryIndex(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write the index to `FILE` instead of printing it")
	flags.BoolVar(&f.Lazy, "lazy", false, "mark the index as loaded lazily")
	flags.BoolVar(&f.Outside, "outside", false, "also read files beside the store, below the directory above it")
	flags.BoolVar(&f.empty, "allow-empty", false, allowEmptyUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	return cmd
}

func newMemoryCheck(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "check MEMORY.md|DIR",
		Short:   "Check a store and the index it makes",
		Long:    "check looks at the references of a store, its topic files, and the index that\nwould be made of it.",
		Example: "  packgen memory check memory/MEMORY.md",
		Args:    needsMemory,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runMemoryCheck(cmd.Context(), f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.Outside, "outside", false, "also read files beside the store, below the directory above it")
	return cmd
}

func (a *app) runMemoryIndex(ctx context.Context, f memoryFlags, name string) error {
	if err := checkIndexName("out", f.out); err != nil {
		return err
	}
	f.Written = true
	s, err := memory.Read(ctx, &a.Repo, f.Source, name)
	if err != nil {
		return err
	}
	if f.out != "" && diag.Count(s.Findings, diag.Error) == 0 {
		refusals, err := memory.Refusals(a.Paths.Abs(f.out), s.Index, f.empty, false)
		if err != nil {
			return diag.WithHint(fmt.Errorf("look at what is at --out %s: %w", f.out, err), "name another file, or move it away")
		}
		s.Findings = append(s.Findings, memory.IssueFindings(s.Shown, refusals)...)
	}
	failed := diag.Count(s.Findings, diag.Error) > 0
	wrote := f.out != "" && !f.dryRun && !failed
	text := indexjson.Write(s.Index)
	if wrote {
		if err := indexfile.Write(a.Paths.Abs(f.out), text); err != nil {
			return diag.WithHint(err, "make its directory writable, or name another file; the old file was not changed")
		}
	}
	if a.json {
		a.printParts(struct {
			envelope
			Out   string `json:"out,omitempty"`
			Wrote bool   `json:"wrote"`
		}{envelopeOf("memory index", s.Findings), f.out, wrote}, part{"result", s.IndexJSON()})
	} else {
		a.printFindings(s.Findings, nil)
		a.printMemoryIndex(f, s, text, wrote)
	}
	if failed {
		return errFindings
	}
	return nil
}

// checkIndexName refuses to write an index to a file whose name does not end in .json, such
// as a MEMORY.md or the index.bin beside an index.
func checkIndexName(flag, name string) error {
	if name == "" || strings.EqualFold(filepath.Ext(name), ".json") {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--%s %s: the name of an index ends in .json", flag, name), "write --%s %s", flag, filepath.ToSlash(filepath.Join(filepath.Dir(name), "index.json")))
}

// printMemoryIndex prints the index, or where it was written.
func (a *app) printMemoryIndex(f memoryFlags, s *memory.Store, text []byte, wrote bool) {
	switch {
	case f.out == "":
		_, _ = a.stdout.Write(diag.EscapeJSON(text))
	case a.quiet:
	case wrote:
		fmt.Fprintf(a.stdout, "%s: %s\n", diag.Printable(f.out), amount.Entries(len(s.Index.Entries)))
	case f.dryRun:
		fmt.Fprintf(a.stdout, "%s: %s, not written (dry run)\n", diag.Printable(f.out), amount.Entries(len(s.Index.Entries)))
	default:
		fmt.Fprintf(a.stdout, "%s: not written\n", diag.Printable(f.out))
	}
}

func (a *app) runMemoryCheck(ctx context.Context, f memoryFlags, name string) error {
	s, err := memory.Read(ctx, &a.Repo, f.Source, name)
	if err != nil {
		return err
	}
	failures, warnings := diag.Count(s.Findings, diag.Error), diag.Count(s.Findings, diag.Warning)
	if a.json {
		a.printParts(envelopeOf("memory check", s.Findings), part{"result", s.CheckJSON()})
	} else {
		a.printFindings(s.Findings, nil)
		fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", diag.Printable(s.Shown), amount.Counted(len(s.Refs), "reference"), amount.Counted(failures, "error"), amount.Counted(warnings, "warning"))
	}
	return verdict(s.Findings)
}

type publishFlags struct {
	store, out string
	outside    bool
	empty      bool
	dryRun     bool
}

func newMemoryPublish(a *app) *cobra.Command {
	var f publishFlags
	cmd := &cobra.Command{
		Use:   "publish [MEMORY.md|DIR]",
		Short: "Publish the index of a MEMORY.md store to the global layer",
		Long: `publish makes the index of a store again, checks it, and publishes it with
absolute paths where the prompt hook and the other commands look for the global
layer. A reference without its file is left out with a warning. Without a store, and without a MEMORY.md in the repository, the stores that
Claude Code keeps below projects of its directory are published as one. The
index as it was is kept as index.json.bak. A store with an error is not
published, and neither is an index without entries over one that has some. At any
moment a reader finds the whole old index or the whole new one.`,
		Example: "  packgen memory publish ~/.claude/projects/work/memory\n  packgen memory publish memory --dry-run",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && f.store != "" {
				return diag.WithHint(errors.New("the store is named twice"), "leave --store out")
			}
			if len(args) > 0 {
				f.store = args[0]
			}
			return a.runMemoryPublish(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "`DIR` of the MEMORY.md, or that file (default the repository root, otherwise all stores that agents keep)")
	flags.StringVar(&f.out, "out", "", "index `FILE` to publish (default .ai-loadout/index.json in the home directory)")
	flags.BoolVar(&f.outside, "outside", false, "also read files beside the store, below the directory above it")
	flags.BoolVar(&f.empty, "allow-empty", false, allowEmptyUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	return cmd
}

func (a *app) runMemoryPublish(ctx context.Context, f publishFlags) error {
	if err := checkIndexName("out", f.out); err != nil {
		return err
	}
	dest, err := a.homeFile("out", f.out, globalIndex)
	if err != nil {
		return err
	}
	at, err := repo.IndexTime(a.Getenv)
	if err != nil {
		return err
	}
	o := memory.RefreshOptions{
		Store: a.Paths.Abs(f.store), Dest: dest, Agents: a.claudeDir(), At: at, DryRun: f.dryRun, AllowEmpty: f.empty, Outside: f.outside,
	}
	r, err := memory.RefreshFound(ctx, o, f.store == "")
	var missing *memory.MissingError
	switch {
	case errors.As(err, &missing):
		return diag.Absent("MEMORY.md", a.Paths.Rel(missing.Path), "name the MEMORY.md of a store, or its directory")
	case errors.Is(err, memory.ErrBusy):
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "wait for it, or stop it; the published index is whole")
	case err != nil && unreadableIndex(dest):
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "move %s away: it is not an index; or name another one with --out", a.Paths.Rel(dest))
	case err != nil:
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "make the places it writes to writable and free space on their disks, or name another index with --out; the published index is complete, either old or new")
	}
	findings := append(memory.Findings(a.Paths.Rel(r.MemoryMD), r.Analysis, r.IndexIssues), memory.IssueFindings(a.Paths.Rel(r.MemoryMD), r.Refusals)...)
	if a.json {
		a.printParts(envelopeOf("memory publish", findings), part{"result", r.JSON()})
	} else {
		a.printFindings(findings, nil)
		a.printRefreshed(r)
	}
	if r.Errors() > 0 {
		return errFindings
	}
	return nil
}

// unreadableIndex reports whether the target exists but is not a file that could be backed up.
func unreadableIndex(name string) bool {
	info, err := os.Stat(name)
	return err == nil && (!info.Mode().IsRegular() || info.Size() > indexjson.MaxIndex)
}

func (a *app) printRefreshed(r *memory.Refreshed) {
	dest := diag.Printable(a.Paths.Rel(r.Dest))
	switch {
	case r.Errors() > 0:
		fmt.Fprintf(a.stdout, "%s: %s, nothing written\n", dest, amount.Counted(r.Errors(), "validation error"))
	case r.DryRun:
		fmt.Fprintf(a.stdout, "%s: %s, %s made absolute, not written (dry run)\n", dest, amount.Entries(r.EntryCount), amount.Counted(r.PathsRewritten, "path"))
	case !a.quiet:
		fmt.Fprintf(a.stdout, "%s: %s, %s made absolute\n", dest, amount.Entries(r.EntryCount), amount.Counted(r.PathsRewritten, "path"))
		if r.BackupPath != "" {
			fmt.Fprintf(a.stdout, "the index as it was: %s\n", diag.Printable(filepath.Base(r.BackupPath)))
		}
	}
}

func newMemoryStats(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "stats MEMORY.md|DIR",
		Short:   "Count the tokens of a store",
		Long:    "stats counts what a store holds, what of it always loads and what on demand, and\nlists the largest topics.",
		Example: "  packgen memory stats memory/MEMORY.md",
		Args:    needsMemory,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runMemoryStats(cmd.Context(), f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.Outside, "outside", false, "also read files beside the store, below the directory above it")
	return cmd
}

func (a *app) runMemoryStats(ctx context.Context, f memoryFlags, name string) error {
	s, err := memory.Read(ctx, &a.Repo, f.Source, name)
	if err != nil {
		return err
	}
	st := s.Stats()
	if a.json {
		a.printParts(envelopeOf("memory stats", nil), part{"result", st.JSON()})
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: %s\n%s\n\n", diag.Printable(s.Shown), st.Tokens(), st.Entries())
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("LARGEST", "TOKENS", "PRIORITY")
	for _, e := range st.Largest {
		t.Add(diag.Printable(e.ID), indexjson.Rounded(e.TokensEst), e.Priority)
	}
	t.Write(a.stdout)
	return nil
}

func newMemoryHealth(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "health [MEMORY.md|DIR]",
		Short:   "Look for stores of memories",
		Long:    "health says where stores are: in the repository, in its .claude, and those that\nagents keep: below projects of the directory that CLAUDE_CONFIG_DIR names, otherwise\nof .claude in the home directory.",
		Example: "  packgen memory health",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			named := ""
			if len(args) > 0 {
				named = a.Paths.Abs(a.Paths.Given(args[0]))
			}
			h := memory.Look(named, a.Paths.Dir, a.claudeDir())
			if a.json {
				a.printParts(envelopeOf("memory health", nil), part{"result", h})
				return nil
			}
			for _, line := range h.Lines(a.Paths.Rel) {
				fmt.Fprintln(a.stdout, diag.Printable(line))
			}
			return nil
		},
	}
}
