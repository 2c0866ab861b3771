package context

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
)

// tree is the files of a pack by path.
type tree map[string]string

// head is the front matter of a pack of a profile, each of whose sections is a split by
// itself; more is added to it.
func head(name, profile, more string) string {
	if before, after, ok := strings.Cut(more, "metadata:\n"); ok {
		more = before + "metadata:\n  compile: {join: 0}\n" + after
	} else {
		more += "metadata: {compile: {join: 0}}\n"
	}
	return fmt.Sprintf("---\nname: %s\ndescription: About the %s.\ntype: domain-reference\nprofile: %s\nstatus: ready\ntrust: user-confirmed\n%s---\n\n# %s\n",
		name, name, profile, more, name)
}

// compiled returns the files with what compile makes of them.
func compiled(t testing.TB, files tree) fstest.MapFS {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		oktest.Check(t, os.MkdirAll(filepath.Dir(full), 0o777))
		oktest.Check(t, os.WriteFile(full, []byte(text), 0o666))
	}
	p, _, err := pack.Open(dir)
	if err != nil || p == nil {
		t.Fatalf("open: %v", err)
	}
	defer p.Close()
	if _, err := compiler.Compile(context.Background(), p, compiler.Options{Now: time.Unix(1780300800, 0)}); err != nil {
		t.Fatal(err)
	}
	return load(t, dir)
}

// load reads a directory, hidden files left out.
func load(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && file != "." {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, file))
		files[file] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	oktest.Check(t, err)
	return files
}

// with returns a copy with other files; a text of "-" removes the file, or all
// files of a folder.
func with(files fstest.MapFS, changes tree) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range files {
		out[name] = f
	}
	for name, text := range changes {
		if text != "-" {
			out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
			continue
		}
		for have := range out {
			if have == name || strings.HasPrefix(have, strings.TrimSuffix(name, "/")+"/") {
				delete(out, have)
			}
		}
	}
	return out
}

// raw turns texts into a file system without compiling them.
func raw(files tree) fstest.MapFS { return with(nil, files) }

// selection lists what was selected as "path reason".
func selection(r *Resolution) []string {
	list := []string{}
	for _, s := range r.Selection {
		list = append(list, s.Path+" "+s.Reason)
	}
	return list
}

// remarks lists warnings as text.
func remarks(list []Warning) []string {
	out := []string{}
	for _, w := range list {
		out = append(out, w.String())
	}
	return out
}

// The packs of the branch table.

func kettle(t testing.TB) fstest.MapFS {
	return compiled(t, tree{
		"KNOWLEDGE.md": head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": "# Kettle\n\nA stovetop kettle.\n\n## Capacity\n\nIt holds one litre.\n\n## Care\n\nDescale the litre vessel monthly.\n\n" +
			"## Limits\n\nNever promise a date.\n",
	})
}

func shore(t testing.TB) fstest.MapFS {
	return compiled(t, tree{
		"KNOWLEDGE.md":             head("shore", "wiki-first", "grounding: none\n") + "\n## Limits\n\n- No harvest advice.\n",
		"wiki/index.md":            "# Index\n\n- [Mussel](mussel.md)\n- [Limpet](limpet.md)\n",
		"wiki/mussel.md":           "# Mussel\n\nA bivalve.\n\n- Beds are dense at low tide. [source: sources/s.md#L1]\n",
		"wiki/limpet.md":           "# Limpet\n\nA snail that grazes beside the mussel.\n",
		"sources/s.md":             "dense beds\n",
		"wiki/open-questions/a.md": "# How long does a limpet live?\n",
	})
}

func ferry(t testing.TB) fstest.MapFS { return ferryWith(t, "Count heads.") }

// ferryWith is the ferry with another checklist.
func ferryWith(t testing.TB, checklist string) fstest.MapFS {
	return compiled(t, tree{
		"KNOWLEDGE.md": head("ferry", "hybrid", "grounding: none\nmetadata:\n  primaryDocument: documents/boarding.md\n") +
			"\n## Context map\n\n- Boarding steps: `documents/boarding.md`\n- Weather rules: `documents/storm.md#wind`\n- Past decisions: `wiki/decisions/`\n\n## Limits\n\n- Not for lifeboats.\n",
		"documents/boarding.md":    "# Boarding\n\n## Checklist\n\n" + checklist + "\n\n## Limits\n\nNever board on red.\n",
		"documents/storm.md":       "# Storm\n\n## Wind\n\nStop at nine knots.\n\n## Waves\n\nStop at three metres.\n",
		"wiki/decisions/winter.md": "# Winter\n\nThe last boat leaves at seven.\n",
		"wiki/concepts/tonnage.md": "# Tonnage\n\nGross weight.\n",
	})
}

func mira(t testing.TB) fstest.MapFS {
	return compiled(t, tree{
		"KNOWLEDGE.md": head("mira", "document-first", "runtime:\n  mode: persona\nmetadata:\n  primaryDocument: documents/mira.md\n"),
		"documents/mira.md": "# Mira\n\n## History\n\nClocks since 1998.\n\n## Usage\n\nFor posts.\n\n## Limits of the role\n\nNo law.\n\n## Taboos\n\nNo prices.\n\n" +
			"## Values\n\nPatience.\n\n## Tone of voice\n\nDry.\n\n## Garden\n\nRoses.\n",
	})
}
