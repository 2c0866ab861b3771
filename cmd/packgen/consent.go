package main

import (
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/schema"
)

// consent holds the flags of resolve and activate by which a user allows more than the
// defaults.
type consent struct {
	allow, confirm []string
	untrusted      bool
}

func (c *consent) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&c.allow, "allow", nil, "use packs of this `STATUS` though they are not ready: draft or archived")
	flags.StringArrayVar(&c.confirm, "confirm", nil, "confirm `WHAT` is refused otherwise: disputed (packs), or personas (several at once)")
	flags.BoolVar(&c.untrusted, "allow-untrusted", false, "use packs without an approved trust")
}

// statuses returns the words of a flag as statuses.
func statuses(words []string) []schema.Status {
	list := make([]schema.Status, len(words))
	for i, word := range words {
		list[i] = schema.Status(word)
	}
	return list
}

func (c *consent) check() error {
	for _, word := range c.allow {
		if err := oneOf("--allow", word, string(schema.Draft), string(schema.Archived)); err != nil {
			return err
		}
	}
	for _, word := range c.confirm {
		if err := oneOf("--confirm", word, string(schema.Disputed), "personas"); err != nil {
			return err
		}
	}
	return nil
}
