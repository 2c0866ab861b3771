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
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
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
