package elsewhere

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// published is a place that is checked.
type published struct {
	FS     fs.FS
	Shown  string
	Remote bool // its files cannot be listed
	Jobs   int
	Signed []Signed // who signed it, where that is known already
	Close  func()
}

// OpenPublished opens a directory, an archive, an address, or a pack that a reference leads
// to.
func OpenPublished(ctx context.Context, w *repo.Repo, name string, st *repo.Stages) (*published, error) {
	if e, t, ok, err := fetched(w, name); ok || err != nil {
		if err != nil {
			return nil, err
		}
		st.Begin("fetch")
		a, err := e.get(ctx, t, false)
		if err != nil {
			e.Close()
			return nil, err
		}
		p := &published{FS: a.FS, Shown: t.Ref.Text, Close: e.Close, Signed: []Signed{}}
		if a.Entry.Signature != nil {
			p.Signed = append(p.Signed, Signed{a.Name, *a.Entry.Signature})
		}
		return p, nil
	}
	if strings.Contains(name, "://") {
		base := strings.TrimSuffix(name, schema.SiteManifestName)
		remote := newRemoteSite(ctx, fetch.New(fetchOptions(w)), base)
		return &published{FS: remote, Shown: fetch.Redact(base), Remote: true, Jobs: remoteJobs, Close: remote.close}, nil
	}
	name = w.Paths.Given(name)
	shown := w.Paths.Rel(w.Paths.Abs(name))
	info, err := os.Stat(w.Paths.Abs(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Absent("site, pack or archive", name, "name a directory such as public, an archive, or an address")
	case err != nil:
		return nil, fmt.Errorf("verify: %w", err)
	case info.IsDir():
		return openRoot(w.Paths.Abs(name), shown, func() {})
	}
	temp, err := scratch.NewDir("verify")
	if err != nil {
		return nil, fmt.Errorf("make a place to unpack %s: %w", shown, err)
	}
	clean := func() { _ = temp.Remove() } // what is left is the system's to clear
	st.Begin("unpack")
	dir := filepath.Join(temp.Path, "tree")
	if _, err := archive.Extract(ctx, w.Paths.Abs(name), dir, archive.Options{Limits: w.Config.Pull.Archive()}); err != nil {
		clean()
		return nil, explainElsewhere(err)
	}
	return openRoot(onlyFolder(dir), shown, clean)
}

// fetched is the target of a reference that is not a site and not on disk: a pack in a
// registry, in what a job of CI kept, an archive at an address, or the name of a locked
// pack.
func fetched(w *repo.Repo, name string) (e *Places, t target, ok bool, err error) {
	if !strings.Contains(name, "://") {
		if _, err := os.Lstat(w.Paths.Abs(w.Paths.Given(name))); !errors.Is(err, fs.ErrNotExist) {
			return nil, target{}, false, nil
		}
	}
	if e, err = New(w, false); err != nil {
		return nil, target{}, false, err
	}
	if t, err = e.target(name); err == nil && (t.locked != nil || !t.Ref.IsLocal()) && t.Ref.Kind != remote.Site {
		return e, t, true, nil
	}
	e.Close()
	return nil, target{}, false, nil // opening it as a directory or an address says what is wrong
}

// openRoot opens a directory so that no link leads out of it.
func openRoot(dir, shown string, done func()) (*published, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		done()
		return nil, fmt.Errorf("verify: %w", err)
	}
	return &published{FS: regularfile.FS(root), Shown: shown, Close: func() {
		root.Close() // only read: an error of Close loses nothing
		done()
	}}, nil
}

// onlyFolder goes down into the one folder that an archive keeps all in, when it
// does.
func onlyFolder(dir string) string {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 1 && entries[0].IsDir() {
		return filepath.Join(dir, entries[0].Name())
	}
	return dir
}

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

// explainTarget adds what to do about a reference that could not be opened.
func explainTarget(e *Places, t target, err error) error {
	var mismatch *remote.MismatchError
	var offline *remote.OfflineError
	var gone *fetch.Error
	var cache *remote.CacheError
	word := diag.ShellWord(t.Ref.String())
	switch {
	case errors.As(err, &cache):
		return ExplainCache(err)
	case errors.As(err, &mismatch):
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "run packgen lock update %s if the change is intended; nothing was overwritten", word))
	case errors.As(err, &offline):
		return diag.WithHint(err, "run packgen pull %s with a network first", word)
	case errors.As(err, &gone) && t.locked != nil && (gone.Rule == fetch.RuleExpired || gone.Rule == fetch.RuleNotFound):
		return diag.WithHint(err, "run packgen lock update %s to lock what exists now: what was locked is gone", word)
	case t.Ref.Kind == remote.Directory && isRegular(e.ws.Paths.Abs(t.Ref.Path)):
		return diag.WithHint(err, "name a directory, or an archive whose name ends in .tar.gz, .tgz, .tar or .zip")
	case errors.Is(err, os.ErrNotExist) && t.Ref.IsLocal():
		if near := nearest.Name(t.Ref.Path, e.Locked()); near != "" && t.locked == nil {
			return diag.WithHint(err, "did you mean %s, which is locked?", near)
		}
		return diag.Absent("directory or archive", t.Ref.Path, "write a path relative to %s", e.ws.Paths.Start)
	}
	return explainElsewhere(err)
}

// ExplainCache says what to do about a cache that cannot be used.
func ExplainCache(err error) error {
	if diag.DiskFull(err) {
		return diag.WithHint(err, "free some space: packgen prune cache removes what this repository does not lock, and $%s names another place", repo.CacheVariable)
	}
	return diag.WithHint(err, "set %s to a directory that can be written", repo.CacheVariable)
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// explainElsewhere adds to an error what to do about it, and its exit code.
func explainElsewhere(err error) error {
	var mismatch *fetch.MismatchError
	switch {
	case errors.As(err, new(*remote.SignatureError)), errors.As(err, new(*archive.Refusal)), errors.As(err, new(*remote.DamageError)):
		return diag.Refuse(err)
	case errors.As(err, &mismatch):
		err = fmt.Errorf("%s: the bytes are not the announced ones: want %s, got %s", mismatch.URL, mismatch.Want, mismatch.Got)
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "try again, then ask the publisher; nothing was kept"))
	}
	return err
}

// explainRemote distinguishes a file that does not exist, or is not what it was, from a server
// that does not answer.
func explainRemote(name string, err error) error {
	var f *fetch.Error
	if errors.As(err, &f) {
		switch {
		case f.Status == http.StatusNotFound, f.Status == http.StatusGone:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case f.Rule == fetch.RuleTooLarge:
			return &fs.PathError{Op: "open", Path: name, Err: archive.ErrLonger}
		}
	}
	return err
}
