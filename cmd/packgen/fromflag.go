package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// fromFlags are the flags that name packs from elsewhere.
type fromFlags struct {
	from    []string
	offline bool
}

// registerTimeout adds --timeout.
func (a *app) registerTimeout(flags *pflag.FlagSet) {
	flags.DurationVar(&a.Timeout, "timeout", fetch.DefaultHeader, "give up a request after `TIME` without progress, such as 30s; no download takes more than 10 minutes")
}

// checkTimeout refuses a timeout outside the limits of a download.
func (a *app) checkTimeout() error {
	if a.Timeout < 0 || a.Timeout > fetch.DefaultTotal {
		return diag.WithHint(fmt.Errorf("--timeout: %s is not between 0s and %s", a.Timeout, fetch.DefaultTotal), "write a time such as 30s or 2m")
	}
	return nil
}

// register adds the flags to a command; what describes how it uses a pack.
func (f *fromFlags) register(a *app, flags *pflag.FlagSet, what string) {
	flags.StringArrayVar(&f.from, "from", nil, what+" from elsewhere, by `REF`: a directory, archive, site or CI artifact, as packgen pull takes it, or a locked pack; may be repeated")
	flags.BoolVar(&f.offline, "offline", false, "with --from: fetch nothing, use what is in the cache")
	a.registerTimeout(flags)
}
