package build

import (
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

func TestPagesDependOnThePartsOfTheConfigurationThatTheyShow(t *testing.T) {
	context := func(change func(c *repo.Config)) string {
		c := repo.DefaultConfig()
		change(&c)
		return oktest.Value(pageContext(c))(t)
	}
	asBefore := context(func(*repo.Config) {})
	for name, tt := range map[string]struct {
		change func(c *repo.Config)
		again  bool
	}{
		"trust":    {func(c *repo.Config) { c.Trust = []repo.Trust{{Ref: "**"}} }, false},
		"runs":     {func(c *repo.Config) { c.Runs.Keep = 5 }, false},
		"packs":    {func(c *repo.Config) { c.Packs = []string{"knowledge/*"} }, false},
		"matcher":  {func(c *repo.Config) { c.Matcher = "recall" }, true},
		"language": {func(c *repo.Config) { c.Site.Language = "de" }, true},
		"split":    {func(c *repo.Config) { c.Loadout.Split = true }, true},
		"mapped":   {func(c *repo.Config) { c.Documents = []repo.Documents{{Pack: "docs"}} }, true},
	} {
		if again := context(tt.change) != asBefore; again != tt.again {
			t.Errorf("%s: pages are made again: %v", name, again)
		}
	}
}
