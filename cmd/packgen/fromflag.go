package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/site/build"
)

// registerSigning adds the flags of commands that sign packs.
func registerSigning(flags *pflag.FlagSet, o *build.SignOptions) {
	flags.BoolVar(&o.Sign, "sign", false, "sign with the identity of the CI job, or with the key of --sign-key or PACKGEN_SIGN_KEY")
	flags.StringVar(&o.Key, "sign-key", "", "sign with the private key in `FILE` (PEM); PACKGEN_SIGN_PASSWORD is its password")
	flags.StringVar(&o.Config, "sign-config", "", "sign by the servers of a private Sigstore, as the signing_config.json in `FILE` lists them; PACKGEN_SIGN_CONFIG")
}

// printSigner says who signed, when anybody did.
func (a *app) printSigner(who string) {
	if who != "" {
		fmt.Fprintf(a.stdout, "%-9s  by %s\n", "signed", diag.Printable(who))
	}
}

// fromFlags are the flags that name packs from elsewhere.
type fromFlags struct {
	from    []string
	offline bool
}

// registerNetwork adds the flags of commands that ask servers.
func (a *app) registerNetwork(flags *pflag.FlagSet) {
	flags.DurationVar(&a.Timeout, "timeout", fetch.DefaultHeader, "give up a request after `TIME` without progress, such as 30s; no download takes more than 10 minutes")
	n := &a.Network
	flags.StringVar(&n.CA, "cacert", "", "also trust the certificate authorities in `FILE` (PEM); PACKGEN_CACERT")
	flags.StringVar(&n.Cert, "cert", "", "show servers the certificate in `FILE` (PEM); PACKGEN_CERT")
	flags.StringVar(&n.Key, "key", "", "the `FILE` of the key of --cert, when it is another (PEM); PACKGEN_KEY")
	flags.StringArrayVar(&n.Mirrors, "mirror", nil, "ask at TO what begins with FROM, as `FROM=TO`: addresses of sites, or oci:// places; may be repeated")
}

// checkTimeout refuses a timeout outside the limits of a download.
func checkTimeout(t time.Duration) error {
	if t < 0 || t > fetch.DefaultTotal {
		return diag.WithHint(fmt.Errorf("--timeout: %s is not between 0s and %s", t, fetch.DefaultTotal), "write a time such as 30s or 2m")
	}
	return nil
}

// register adds the flags to a command; what describes how it uses a pack.
func (f *fromFlags) register(a *app, flags *pflag.FlagSet, what string) {
	flags.StringArrayVar(&f.from, "from", nil, what+" from elsewhere, by `REF`: a directory, archive, site or CI artifact, as packgen pull takes it, or a locked pack; may be repeated")
	flags.BoolVar(&f.offline, "offline", false, "with --from: fetch nothing, use what is in the cache")
	a.registerNetwork(flags)
}
