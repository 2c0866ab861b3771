package build

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// tools are what a site is made with. They remember what they have made, so that runs
// one after another share them as long as the configuration is the same.
type tools struct {
	disk    *store.Disk
	pages   *site.Site
	builder *index.Builder
	context string // the configuration that they were made for
}

// newTools opens the store and prepares site and index. Again says that more than one
// run uses them.
func (b *Run) newTools(ctx context.Context, again bool) (*tools, error) {
	custom, err := repo.CustomFiles(b.ws)
	if err != nil {
		return nil, err
	}
	config, err := b.context()
	if err != nil {
		return nil, err
	}
	pages, err := pageContext(b.ws.Config)
	if err != nil {
		return nil, err
	}
	disk := repo.OpenStore(b.ws.Paths, repo.StoreOptions{DryRun: b.Flags.DryRun, NoCache: b.Flags.NoCache, Elsewhere: b.overlay != ""})
	return &tools{
		disk: disk, builder: b.ws.Config.Loadout.NewBuilder(disk.Group(repo.IndexGroup)), context: config,
		pages: site.New(site.Options{
			Title: b.ws.Config.Title, Description: b.ws.Config.Site.Description, Language: b.ws.Config.Site.Language,
			SplitIndex: b.ws.Config.Loadout.Split, BaseURL: b.ws.Config.BaseURL, PublishSources: b.ws.Config.Site.Sources, Excerpts: b.ws.Config.Site.Excerpts, PublishRuns: b.ws.Config.Site.Runs, PlainCode: !b.ws.Config.Site.Highlight,
			Matcher: b.ws.Config.Matcher, Examples: b.ws.Config.Site.Examples, Custom: custom, Version: compiler.Version, Context: pages, Again: again,
			Offline: b.ws.Config.Site.Offline, Edit: b.ws.Config.Site.Edit, Locate: b.inRepository, Changed: b.dates(ctx), Front: b.opensOnPack(),
			Lists: b.remote.well() && b.remote.upload,
			Store: disk.Group(repo.SiteGroup), Code: disk.Group(repo.CodeGroup),
		}),
	}, nil
}

// opensOnPack reports whether the site may open on the page of a pack. An action of another
// machine knows one pack and not how many there are: it makes what may be needed.
func (b *Run) opensOnPack() bool {
	return b.Flags.Action != "" || len(b.Repository.Members) == 1 && len(b.roles) == 0 && b.ws.Config.Site.Report == ""
}

// context is the configuration as a text.
func (b *Run) context() (string, error) { return textOf(b.ws.Config) }

// pageContext is what of the configuration the pages of a pack depend on: what is said of
// trust, of packs elsewhere or of runs that are kept makes no page again. The rules are
// part of the state of each pack.
func pageContext(c repo.Config) (string, error) {
	return textOf(struct {
		Matcher   string
		Site      repo.SiteConfig
		Loadout   repo.LoadoutConfig
		Documents []repo.Documents // their paths are in the addresses that edit a file
	}{c.Matcher, c.Site, c.Loadout, c.Documents})
}

func textOf(config any) (string, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("describe the configuration: %w", err)
	}
	return string(text), nil
}

// flush writes what was remembered, and releases what only the packs of a run need.
func (t *tools) flush(r *repo.Packs) {
	for _, m := range r.Members {
		t.disk.Release(repo.PackGroup + m.Name())
	}
	for _, name := range []string{repo.IndexGroup, repo.SiteGroup, repo.CodeGroup} {
		t.disk.Group(name).Flush()
	}
}

func (t *tools) close() { t.disk.Close() }
