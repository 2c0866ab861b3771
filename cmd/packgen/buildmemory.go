package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// buildMemory is what a build that had nothing to write has found, and every file
// that it rested on, of the packs and of the site. As long as all of them stand
// untouched, a build would find the same: it is told again at once.
//
// It is kept by a build that itself changed no file, so that nothing in it was true
// only for one run; and only where nothing but packs and configuration goes into
// the site, see key.
type buildMemory struct {
	key  string
	tree cache.Tree // Text is a told
}

// told is what a build reports.
type told struct {
	Faults []diag.Diagnostic
	Packs  []toldPack
	Index  indexReport
	Files  int   // of the site
	Bytes  int64 // the same
}

// toldPack is what a build reports of one pack.
type toldPack struct {
	Status, Suggested string
	Counts            compiler.Counts
	Findings, Later   []diag.Diagnostic
}

// memoryName is the file in the state directory of the repository.
const memoryName = "build.cache"

// openMemory lists the files that a build rests on; nil when it may rest on others
// too, or is asked for more than what it found.
func (b *buildRun) openMemory() *buildMemory {
	key, ok := b.memoryKey()
	if !ok {
		return nil
	}
	m := &buildMemory{key: key}
	for _, member := range b.repo.members {
		fine, listed := cache.FineTimes(member.pack.Dir), member.pack.Listed.UnixNano()
		for _, f := range member.pack.Files {
			m.add(member.dir+"/"+f.Path, f.Size, f.Stamp(), listed, fine)
		}
	}
	if err := m.addSite(b.out); err != nil {
		return nil
	}
	return m
}

// memoryKey names all that a build depends on besides those files: the program, its
// configuration and flags, the time it is told to take, and what opening the packs
// found. It is not ok when other files go into the site.
func (b *buildRun) memoryKey() (string, bool) {
	c := &b.cfg
	if b.flags.dryRun || b.flags.force || b.overlay != "" || b.app.verbose || b.repo.broken() || len(c.Roles) > 0 ||
		c.Site.CSS != "" || c.Site.TS != "" || c.Site.Report != "" || c.Loadout.Project != "" {
		return "", false
	}
	parts := []any{compiler.Version, cache.Program(), b.out, b.app.getenv("SOURCE_DATE_EPOCH"), *c, b.repo.faults}
	for _, m := range b.repo.members {
		if m.pack.Listed.IsZero() {
			return "", false
		}
		parts = append(parts, m.dir, m.opened)
	}
	key, err := json.Marshal(parts) // no two lists of texts read alike in it
	return string(key), err == nil
}

func (m *buildMemory) add(path string, size int64, stamp pack.Stamp, moment int64, fine bool) {
	m.tree.Entries = append(m.tree.Entries, cache.Entry{Path: path, Size: size, Stamp: stamp, Quiet: cache.Quiet(stamp, moment, fine)})
}

// addSite lists the files of the site, which has no links.
func (m *buildMemory) addSite(dir string) error {
	fine, listed := cache.FineTimes(dir), time.Now().UnixNano()
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no regular file", name)
		}
		if err == nil {
			m.add("site:"+strings.TrimPrefix(name, dir), info.Size(), pack.StampOf(info), listed, fine)
		}
		return err
	})
}

// recall gives the build what the last one found when everything is as it was.
func (m *buildMemory) recall(b *buildRun) bool {
	if m == nil {
		return false
	}
	old := cache.Dir(b.state()).ReadTree(memoryName, m.key)
	if old == nil || b.interrupted() || len(old.Entries) != len(m.tree.Entries) {
		return false
	}
	for i := range old.Entries {
		was, is := &old.Entries[i], &m.tree.Entries[i]
		if was.Path != is.Path || was.Size != is.Size || was.Stamp != is.Stamp || !was.Quiet || was.Stamp == (pack.Stamp{}) {
			return false
		}
	}
	var t told
	if json.Unmarshal([]byte(old.Text), &t) != nil || len(t.Packs) != len(b.repo.members) {
		return false
	}
	for i, p := range t.Packs {
		member := b.repo.members[i]
		member.result = &compiler.Result{
			Pack: member.pack, Reused: true, SuggestedStatus: p.Suggested, Counts: p.Counts, Diagnostics: p.Findings, Run: schema.Run{Status: p.Status},
		}
		member.out, member.later = member.dir, p.Later
	}
	b.repo.faults = t.Faults
	b.index = &t.Index
	b.summary.Unchanged = publish.Tally{Files: t.Files, Bytes: t.Bytes}
	b.written = true
	return true
}

// interrupted reports whether a run was cut short that the next one has to finish.
func (b *buildRun) interrupted() bool {
	for _, pattern := range []string{"publish-*/journal", "packs/*/publish-*/journal"} {
		if found, err := filepath.Glob(filepath.Join(b.state(), pattern)); err != nil || len(found) > 0 {
			return true
		}
	}
	return false
}

// keep remembers what a build has found that had nothing to write. That it may fail
// is no fault of a build.
func (m *buildMemory) keep(b *buildRun) {
	s := &b.summary
	if m == nil || !b.written || b.failed() || b.index == nil || cmp.Or(s.Created.Files, s.Updated.Files, s.Deleted.Files) != 0 {
		return
	}
	t := told{Faults: b.repo.faults, Index: *b.index, Files: s.Unchanged.Files, Bytes: s.Unchanged.Bytes}
	for _, member := range b.repo.members {
		r := member.result
		if r == nil || r.RunPath != "" || slices.ContainsFunc(r.Run.Outputs, func(o schema.RunOutput) bool { return o.Operation != string(publish.Unchanged) }) {
			return
		}
		t.Packs = append(t.Packs, toldPack{r.Run.Status, r.SuggestedStatus, r.Counts, r.Diagnostics, member.later})
	}
	text, err := json.Marshal(t)
	if err != nil {
		return
	}
	m.tree.Text = string(text)
	_ = cache.Dir(b.state()).WriteTree(memoryName, m.key, &m.tree)
}
