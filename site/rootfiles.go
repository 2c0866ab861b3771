package site

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/matching"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// addRoot plans the files that are about the site as a whole.
func (b *build) addRoot() {
	b.addCatalog()
	b.addLLMs()
	b.addReport()
	b.add(b.putMatch)
	b.add(b.putNotFound)
	b.add(b.putSearchPage)
	b.add(b.putSchemas)
	b.add(func() error { return b.put(".nojekyll", nil) })
	b.add(b.putRobots)
	if b.opts.BaseURL != "" {
		b.add(b.putSitemap)
	}
	if b.opts.feed() != "" {
		b.add(b.putFeed)
	}
	for _, f := range b.frames.Assets.Files {
		b.add(func() error { return b.put(f.Path, f.Data) })
	}
}

// putNotFound makes the page that a server shows for any unknown address, at
// any depth. Relative links would break there, so it is addressed from the
// site's base URL; without one a script that it carries looks for the site. It carries the
// stylesheet, too, so that it does not change its looks once that is found.
func (b *build) putNotFound() error {
	f := b.frames.Of("404.html", "No such page", "")
	f.Canonical, f.Here = "", ""
	f.Look, f.Style = templates.Inline(b.frames.Assets.LostLook), b.frames.Assets.Style[1:]
	if u, err := url.Parse(b.opts.BaseURL); err == nil && u.Path != "" {
		f.Root = u.EscapedPath()
	}
	return b.render("404.html", templates.NotFound{Frame: f, Lost: templates.Inline(b.frames.Assets.Lost)})
}

func (b *build) putMatch() error {
	f := b.frames.Of(matchName, "Match", "Type a task and see which entries of the index it would load, and why")
	f.Here = "match"
	f.Style, f.Module = slices.Concat(f.Style, b.frames.Assets.MatchStyle), b.frames.Assets.Match
	start := loadout.MatchOptions{}
	start.Dialect, _ = loadout.NamedDialect(b.opts.Matcher) // any other name is the first one
	return b.render(matchName, templates.Match{
		Dialects: loadout.Dialects(), Dialect: start.Dialect.String(), Threshold: start.Threshold(),
		Frame: f, Index: matching.RootPath,
		Entries: b.in.Index.Entries, Tokens: b.in.Index.Tokens, Examples: b.examples(),
	})
}

// maxExamples is how many tasks the match page offers.
const maxExamples = 6

// examples are the tasks that the match page offers: those of the options, otherwise
// prompts that the packs' own evals expect to select them (agent-knowledge
// section 11.1).
func (b *build) examples() []string {
	if len(b.opts.Examples) > 0 {
		return b.opts.Examples
	}
	var perPack [][]string
	for _, ps := range b.packs {
		perPack = append(perPack, ps.said.Prompts)
	}
	var list []string
	for round := range maxExamples {
		for _, prompts := range perPack {
			if round < len(prompts) && len(list) < maxExamples {
				list = append(list, prompts[round])
			}
		}
	}
	return list
}

// shortPrompts returns the short prompts of the pack's evals that should select it.
func shortPrompts(ps *model.Pack) []string {
	const suite = "evals/discovery.train.json"
	if !ps.Pack.Has(suite) || ps.Outputs.Withheld[suite] {
		return nil
	}
	data, err := ps.Pack.ReadFile(suite)
	if err != nil {
		return nil // examples are a courtesy; the eval command reports the file
	}
	var s struct {
		Cases []struct{ Prompt, Expected string }
	}
	if json.Unmarshal(data, &s) != nil {
		return nil
	}
	var list []string
	for _, c := range s.Cases {
		if c.Expected == "select" && c.Prompt != "" && len(c.Prompt) <= 90 && len(list) < maxExamples {
			list = append(list, diag.OneLine(c.Prompt, 90))
		}
	}
	return list
}

// putSchemas publishes the JSON Schemas of every record.
func (b *build) putSchemas() error {
	schemas := schema.Schemas()
	entries, err := fs.ReadDir(schemas, ".")
	if err != nil {
		return fmt.Errorf("list the schemas: %w", err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(schemas, e.Name())
		if err != nil {
			return fmt.Errorf("read schema %s: %w", e.Name(), err)
		}
		if err := b.put("schemas/"+e.Name(), data); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) putRobots() error {
	text := "User-agent: *\nAllow: /\n"
	if b.opts.BaseURL != "" {
		text += "Sitemap: " + b.opts.BaseURL + "sitemap.xml\n"
	}
	return b.put("robots.txt", []byte(text))
}
