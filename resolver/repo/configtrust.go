package repo

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Trust is one entry of the list under "trust": who must have signed packs from elsewhere.
type Trust struct {
	Ref      string `key:"ref" is:"pattern" or:"required" doc:"the references, without tag, digest and '#PACK': '*' within a name, '**' across names; the scheme and the host fit in any case, a path in its own"`
	Issuer   string `key:"issuer" is:"address" doc:"who vouched for the identity that signed, such as 'https://token.actions.githubusercontent.com'"`
	Subject  string `key:"subject" is:"pattern" doc:"the identity that signed: the address of a workflow, or of mail; '*' and '**' as in 'ref'"`
	Key      string `key:"key" is:"path" doc:"the public key of who signed, in PEM; in place of 'issuer' and 'subject'"`
	Root     string `key:"root" is:"path" or:"the public Sigstore" doc:"the 'trusted_root.json' of another Sigstore"`
	Unsigned bool   `key:"unsigned" is:"'true'" doc:"ask for no signature: an exception from the entries that follow"`
}

// trustOf reads the list under "trust".
func trustOf(r *strictyaml.Reader, field *[]Trust) func(*yaml.Node) {
	each := r.Each(1000, func(n *yaml.Node) {
		var t Trust
		if !r.Mapping(n, "trust.", strictyaml.Keys{
			"ref":     r.Checked(&t.Ref, checkNotEmpty),
			"issuer":  r.Checked(&t.Issuer, checkIssuer),
			"subject": r.Checked(&t.Subject, checkSubject),
			"key":     r.Checked(&t.Key, checkNotEmpty),
			"root":    r.Checked(&t.Root, checkNotEmpty),
			"unsigned": func(at *yaml.Node) {
				if r.Bool(&t.Unsigned)(at); strictyaml.Type(at) == strictyaml.Bool && !t.Unsigned {
					r.Fault(at, "write true, or leave it out", "trust.unsigned is true or left out")
				}
			},
		}) {
			return
		}
		const hint = "write ref and one of: issuer and subject, key, unsigned: true"
		ways := 0
		for _, key := range [...]string{"issuer", "key", "unsigned"} {
			if hasKey(n, key) {
				ways++
			}
		}
		switch {
		case !hasKey(n, "ref"):
			r.Fault(n, hint, "%q is missing", "trust.ref")
		case ways != 1:
			r.Fault(n, hint, "an entry under trust names one way to sign, and this one names %d", ways)
		case hasKey(n, "issuer") != hasKey(n, "subject"), hasKey(n, "root") && !hasKey(n, "issuer"):
			r.Fault(n, hint, "issuer and subject belong together, and root to them")
		}
		*field = append(*field, t)
	})
	return func(n *yaml.Node) {
		*field = []Trust{} // an empty list trusts no place; without the key, every place is
		each(n)
	}
}

func checkIssuer(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return diag.WithHint(fmt.Errorf("%q is not the address of who vouches for identities", s), "write it in full, such as https://token.actions.githubusercontent.com")
	}
	return nil
}

func checkSubject(s string) error {
	if strings.Trim(s, "*/@. ") == "" {
		return diag.WithHint(errors.New("trust.subject accepts everybody"), "write an identity such as https://github.com/OWNER/REPO/.github/workflows/release.yml@refs/tags/*")
	}
	return nil
}
