package check

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Site makes what a build makes of packs and keeps nothing of it, so that a check reports
// what a build reports.
type Site interface {
	// Key sums up what the pages depend on besides their pack.
	Key() string
	// Contributor takes part in the compile of each pack.
	Contributor() compiler.Contributor
	// Pack makes the pages of a compiled pack.
	Pack(ctx context.Context, m *repo.Member) (Pages, error)
	// Rest makes what is not about the pages of one pack, after all packs.
	Rest(ctx context.Context, builder *index.Builder, pages []Pages) ([]diag.Diagnostic, error)
	Close()
}

// Pages are what a site has of one pack.
type Pages struct {
	Found []diag.Diagnostic `json:"-" keep:"-"`
	Bytes int64
	Large []publish.PathSize // files that some hosts refuse
}

// restOfSite makes what a site has besides the pages of packs.
func (c *Repository) restOfSite(ctx context.Context, builder *index.Builder) error {
	if c.site == nil {
		return nil
	}
	var pages []Pages
	for _, m := range c.Chosen.Members {
		if r := c.Checked[m]; r != nil {
			pages = append(pages, r.Pages)
		}
	}
	found, err := c.site.Rest(ctx, builder, pages)
	if err != nil {
		return fmt.Errorf("check the site: %w", err)
	}
	c.Faults = append(c.Faults, found...)
	return nil
}

// oversizeIndex reports an index that is too large to be read again, or nearly.
func oversizeIndex(ix *loadout.Index) []diag.Diagnostic {
	s := index.Sizes{Entries: len(ix.Entries), Text: int64(len(indexjson.Write(ix)))}
	s.LeftOut = s.Entries > indexjson.MaxEntries || s.Text > indexjson.MaxIndex
	return index.Oversize(s)
}
