package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// Limits on the files that trust: names, in bytes.
const (
	maxKeyFile  = 64 << 10
	maxRootFile = 1 << 20
)

// policyOf reads what trust: in packgen.yaml asks, with the keys and roots that it names.
// Entries of one pattern are one rule, in the place of the first. The policy is nil where
// trust: is left out.
func policyOf(w *repo.Repo) (*signature.Policy, error) {
	if w.Config.Trust == nil {
		return nil, nil
	}
	p := &signature.Policy{}
	at := map[string]int{} // of a rule, by its pattern
	for _, t := range w.Config.Trust {
		if err := signature.CheckPattern(t.Ref); err != nil {
			return nil, err
		}
		place := signature.Place(t.Ref)
		i, known := at[place]
		if !known {
			i = len(p.Rules)
			at[place] = i
			p.Rules = append(p.Rules, signature.Rule{Ref: t.Ref})
		}
		rule := &p.Rules[i]
		if t.Unsigned {
			rule.Unsigned = true
			continue
		}
		allowed := signature.Allowed{Issuer: t.Issuer, Subject: t.Subject, KeyFile: t.Key}
		var err error
		if t.Key != "" {
			if allowed.Key, err = trustFile(w, "key", t.Key, maxKeyFile); err != nil {
				return nil, err
			}
		}
		if t.Root != "" {
			root, err := trustFile(w, "root", t.Root, maxRootFile)
			switch {
			case err != nil:
				return nil, err
			case rule.Root != nil && string(rule.Root) != string(root):
				return nil, diag.WithHint(fmt.Errorf("the entries of %s under trust in %s name two roots", diag.Printable(t.Ref), repo.ConfigName), "put the roots of both into one trusted_root.json")
			}
			rule.Root = root
		}
		rule.Signers = append(rule.Signers, allowed)
	}
	for _, rule := range p.Rules {
		if rule.Unsigned && len(rule.Signers) > 0 {
			return nil, diag.WithHint(fmt.Errorf("the entries of %s under trust in %s ask for a signature and for none", diag.Printable(rule.Ref), repo.ConfigName), "remove unsigned: true, or the entries that name a signer")
		}
	}
	return p, nil
}

// trustFile reads a file that an entry names.
func trustFile(w *repo.Repo, key, name string, limit int64) ([]byte, error) {
	data, err := atomicfile.Read(w.Paths.Abs(name), limit)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("trust.%s: %w", key, err), "name a file relative to %s", repo.ConfigName)
	}
	return data, nil
}

// signaturesOf says whose signature a target needs.
func signaturesOf(e *Places, t target) remote.Signatures {
	return remote.Signatures{
		Policy: e.policy, Asker: e.asker, Root: filepath.Join(e.Cache.Dir(), "sigstore"), CA: authorities(e.ws),
		Previous: remote.Locked(e.Lock, t.Ref.Text), AllowDowngrade: e.downgrade,
	}
}

// authorities is the file of further certificate authorities for servers.
func authorities(w *repo.Repo) string {
	return cmp.Or(w.Network.CA, w.Getenv("PACKGEN_CACERT"))
}

// Signed is who signed a pack that was verified.
type Signed struct {
	Pack string `json:"pack"`
	schema.LockedSignature
}

// String names the signer.
func (s Signed) String() string { return signature.Of(&s.LockedSignature).String() }

// VerifySignatures checks the packs of a place as trust: in packgen.yaml asks. Nothing is
// checked of files that are not as recorded, nor on disk where no entry fits. The error is
// that of the first pack that is not signed as it should be, or of a place that no entry
// fits.
func VerifySignatures(ctx context.Context, w *repo.Repo, place string, v *archive.Verified) ([]Signed, error) {
	if len(v.Diagnostics) > 0 {
		return nil, nil
	}
	e, err := New(w, false)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ref, err := remote.ParseRef(place)
	if err != nil {
		return nil, nil // what is not a reference was opened as a directory or an address
	}
	if rule, known := e.policy.For(ref.Place()); rule == nil && (known || ref.IsLocal()) {
		return nil, nil
	}
	var list []Signed
	for _, p := range v.Packs {
		text := place
		if ref.Pack == "" {
			text += "#" + p.Name
		}
		t, err := e.target(text)
		if err != nil {
			return nil, err
		}
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		if a.Entry.Signature != nil {
			list = append(list, Signed{p.Name, *a.Entry.Signature})
		}
	}
	return list, nil
}
