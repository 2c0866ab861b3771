package build

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// inspection is a dry run that a check has compiled the packs for. It makes their pages
// to find what is wrong in them, and keeps no page.
type inspection struct {
	run  *Run
	with *tools
}

// Inspect prepares a dry run that reports to a check what a build reports of the site.
func Inspect(ctx context.Context, w *repo.Repo, packs *repo.Packs) (check.Site, error) {
	own := *w
	b := &Run{
		ws: &own, Flags: Options{DryRun: true}, Out: w.Paths.Abs(w.Config.Out),
		Repository: &repo.Packs{Members: slices.Clone(packs.Members)},
	}
	b.Repository.DropArchived()
	if w.Config.Overlay != "" {
		b.overlay = w.Paths.Abs(w.Config.Overlay)
	}
	b.ws.Config.Site.Highlight = false // colours say nothing about the text
	b.ws.Config.Site.CSS, b.ws.Config.Site.TS = "", ""
	with, err := b.newTools(ctx, false)
	b.ws.Config = w.Config
	return &inspection{b, with}, err
}

// Close releases what the inspection has in temporary files.
func (n *inspection) Close() { n.with.close() }

// Key implements [check.Site].
func (n *inspection) Key() string { return n.with.context }

// Contributor implements [check.Site].
func (n *inspection) Contributor() compiler.Contributor { return n.with.pages.Contributor() }

// Pack implements [check.Site].
func (n *inspection) Pack(ctx context.Context, m *repo.Member) (check.Pages, error) {
	in, err := n.run.siteInput(ctx)
	if err != nil {
		return check.Pages{}, err
	}
	s := &scales{Target: publish.Nowhere}
	for _, f := range m.Pack.Files {
		s.source += f.Size
	}
	found, err := n.with.pages.Inspect(ctx, m.Result, in, s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if d := m.Fault(err, ""); d != nil {
			found, err = []diag.Diagnostic{*d}, nil
		}
	}
	return check.Pages{Found: found, Bytes: s.bytes, Large: s.large}, err
}

// Rest implements [check.Site]. What keeps a build from writing anything is an error of
// the configuration: every such file and place is named there.
func (n *inspection) Rest(ctx context.Context, builder *index.Builder, pages []check.Pages) ([]diag.Diagnostic, error) {
	b := n.run
	for _, m := range b.Repository.Members {
		if !m.Unsound() {
			b.out.shown = append(b.out.shown, m)
		}
	}
	size := publish.Summary{}
	for _, p := range pages {
		size.Created.Bytes += p.Bytes
		size.Noticed = append(size.Noticed, p.Large...)
	}
	b.raise(beyondHosts(&size, b.ws.Paths.Rel(b.Out)))
	for _, step := range []func() error{
		func() error { return checkPlaces(b) },
		func() error { return checkCustom(b) },
		func() error { _, err := siteReport(b); return err },
		func() error { return putSkills(b, &scales{Target: publish.Nowhere}) },
		func() error { _, err := b.tasks(); return err },
		func() error { _, err := b.suites(); return err },
		func() error {
			project, err := b.projectIndex(ctx, builder)
			if err != nil {
				return err
			}
			return b.inspectProject(project)
		},
	} {
		if err := step(); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			name, _ := b.ws.ConfigFile()
			b.raise([]diag.Diagnostic{{
				ID: "config-invalid", Severity: diag.Error, Path: b.ws.Paths.Rel(b.ws.Paths.Abs(name)), Message: err.Error(), Hint: diag.HintOf(err),
			}})
		}
	}
	found := b.Repository.Faults
	for _, m := range b.Repository.Members {
		found = append(found, m.Later...)
		m.Later = nil
	}
	return found, nil
}

// checkCustom bundles the site's own files.
func checkCustom(b *Run) error {
	custom, err := repo.CustomFiles(b.ws)
	if err != nil || custom == nil {
		return err
	}
	return site.New(site.Options{Custom: custom}).CheckAssets()
}

// scales weigh the files of a site and drop them.
type scales struct {
	publish.Target
	source int64 // bytes of the pack that the files are made from

	mu    sync.Mutex
	bytes int64
	large []publish.PathSize
}

// Wants implements [publish.Target]. The record of a pack says what is wrong with its
// archive; no finding is about the other costly files.
func (s *scales) Wants(name string) bool {
	return !site.Costly(name) || path.Base(name) == schema.PackManifestName
}

// Put implements [publish.Target].
func (s *scales) Put(name string, data []byte) (publish.Change, error) {
	s.weigh(name, int64(len(data)))
	return publish.Updated, nil
}

// PutFrom is Put for a file in pieces. An archive is made where it could be a large one.
func (s *scales) PutFrom(f publish.File) (publish.Change, error) {
	if path.Base(f.Path) == archive.ArchiveName && s.source <= hostFile {
		return publish.Updated, nil
	}
	size := counted{Writer: io.Discard}
	err := f.Content(&size)
	s.weigh(f.Path, size.n)
	return publish.Updated, err
}

func (s *scales) weigh(name string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += size
	if size > hostFile {
		s.large = append(s.large, publish.PathSize{Path: name, Size: size})
	}
}
