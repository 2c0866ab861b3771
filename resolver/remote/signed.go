package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// Signatures says whose signatures are asked for, and who checks them. The zero value
// asks for none.
type Signatures struct {
	Policy         *signature.Policy
	Asker          signature.Asker
	Root           string            // the directory where the root of trust of the public Sigstore is kept
	CA             string            // a file of further certificate authorities, for its servers
	Previous       *schema.LockedRef // what the lock holds of the reference, though it may change; nil for nothing
	AllowDowngrade bool              // the pack may be older than Previous
}

// SignatureError says that a pack is not signed as trust: in packgen.yaml asks.
type SignatureError struct {
	Ref     string // as written
	Problem string
	Hint    string
}

func (e *SignatureError) Error() string { return e.Ref + ": " + e.Problem }

// Advice returns what to do about it.
func (e *SignatureError) Advice() string { return e.Hint }

// signaturesDir holds, in a cache, the bundles of a pack by the digest of its pack.json.
const signaturesDir = "signatures"

// maxKept is the largest file of bundles that is read from the cache, in bytes.
const maxKept = 2 * signature.MaxBundles * signature.MaxBundle

// requireSignature checks a pack that was opened: that it is not an older one than
// was locked, and where a rule asks for it that it is signed. The entry then says by whom.
func (o *Options) requireSignature(ctx context.Context, a *Artifact) error {
	rule, err := o.ruleFor(a.Ref)
	if err != nil {
		return err
	}
	if err := o.refuseReplaced(a); err != nil || rule == nil {
		return err
	}
	digests, err := o.signedDigests(a)
	if err != nil {
		return err
	}
	found, err := o.verified(ctx, a, rule, digests)
	if err != nil {
		return err
	}
	if err := o.refuseSignedBefore(a, found); err != nil {
		return err
	}
	if locked := o.Locked; locked != nil && locked.Signature != nil && signature.Of(locked.Signature).Same(found.Signer) {
		a.Entry.Signature = locked.Signature
		return nil
	}
	a.Entry.Signature = &schema.LockedSignature{Issuer: found.Signer.Issuer, Subject: found.Signer.Subject, Key: found.Signer.Key}
	if !found.Time.IsZero() {
		a.Entry.Signature.Signed = found.Time.UTC().Format(time.RFC3339)
	}
	return nil
}

// ruleFor returns the rule for a reference, nil when no signature is asked for. A
// reference that no rule fits is refused: a pattern with a mistake in it would otherwise
// turn the check off.
func (o *Options) ruleFor(ref Ref) (*signature.Rule, error) {
	rule, known := o.Signatures.Policy.For(ref.Place())
	if !known {
		return nil, &SignatureError{ref.Text, "no entry under trust: in packgen.yaml fits it",
			fmt.Sprintf("add an entry with ref: %q and a key, issuer and subject, or unsigned: true", ref.Place())}
	}
	return rule, nil
}

// previous is what the lock holds, whether it may change or not.
func (o *Options) previous() *schema.LockedRef {
	if o.Locked != nil {
		return o.Locked
	}
	return o.Signatures.Previous
}

// signedDigests are the digests that a signature of this pack may be about: of its
// pack.json, which lists and identifies the files; of its archive, when those files were
// unpacked from it here; and of the manifest of the registry that named the pack.json.
func (o *Options) signedDigests(a *Artifact) ([]string, error) {
	e := &a.Entry
	m, err := archive.ReadManifest(a.Manifest)
	if err != nil {
		return nil, &SignatureError{e.Ref, "it has no pack.json, so it cannot be signed, and trust: in packgen.yaml asks for a signature", "use an archive or a site, which packgen pack and packgen build write"}
	}
	if m.Name != e.Pack || m.Tree != e.Tree || archive.SHA256(a.Manifest) != e.Manifest {
		return nil, &SignatureError{e.Ref, "its pack.json is not about the files that packgen.lock holds", "restore packgen.lock from version control, or run packgen lock update"}
	}
	list := []string{e.Manifest}
	if e.Digest != "" {
		if r := o.Cache.record(digestKey(e.Digest, a.Ref.Pack)); r != nil && r.Tree == e.Tree && r.Manifest == e.Manifest {
			list = append(list, strings.TrimPrefix(e.Digest, "sha256:"))
		}
	}
	if a.manifestOCI != "" {
		list = append(list, strings.TrimPrefix(a.manifestOCI, "sha256:"))
	}
	return list, nil
}

// verified returns who signed a pack: by what the cache holds, where the lock says that
// it was signed, otherwise by what is beside the pack now.
func (o *Options) verified(ctx context.Context, a *Artifact, rule *signature.Rule, digests []string) (*signature.Verified, error) {
	kept := o.Cache.bundles(a.Entry.Manifest)
	if o.Offline || o.Locked != nil && o.Locked.Signature != nil {
		if found, err := o.chosen(ctx, a, rule, digests, kept); err == nil || o.Offline {
			return found, err
		}
	}
	bundles, err := o.bundlesOf(ctx, a)
	if err != nil {
		return nil, err
	}
	found, err := o.chosen(ctx, a, rule, digests, bundles)
	if err != nil {
		return nil, err
	}
	if err := o.Cache.addBundle(a.Entry.Manifest, kept, found.Signature); err != nil {
		return nil, cacheFault("keep the signature of %s in the cache: %w", a.Ref, err)
	}
	return found, nil
}

// bundlesOf are the bundles beside a pack.
func (o *Options) bundlesOf(ctx context.Context, a *Artifact) ([][]byte, error) {
	switch {
	case a.Ref.Kind == GitHub || a.Ref.Kind == GitLab:
		return o.Cache.bundles(a.Entry.Manifest), nil // it was beside the archive, in the artifact
	case a.bundles != nil:
		return a.bundles(ctx)
	case a.Ref.IsLocal():
		return nil, nil
	}
	client := fetch.New(o.Fetch) // it came from the cache: its place is not known yet
	resolved, err := o.ask(ctx, client, a.Ref)
	if err != nil {
		return nil, err
	}
	return client.Bundles(ctx, resolved)
}

// chosen verifies bundles and returns the one that the rule accepts. Of several, that of
// the signer that is locked counts.
func (o *Options) chosen(ctx context.Context, a *Artifact, rule *signature.Rule, digests []string, bundles [][]byte) (*signature.Verified, error) {
	unsigned := func(fix, format string, args ...any) (*signature.Verified, error) {
		return nil, &SignatureError{a.Ref.Text, fmt.Sprintf(format, args...), fix}
	}
	const hint = "ask who publishes it; which signatures are asked for is under trust: in packgen.yaml"
	if len(bundles) == 0 {
		return unsigned(hint, "it is not signed, and packgen.yaml asks for a signature by %s", rule)
	}
	list, err := o.askVerified(ctx, rule, digests, bundles)
	if err != nil {
		return nil, fmt.Errorf("verify the signature of %s: %w", a.Ref, err)
	}
	var good []*signature.Verified
	var problem string
	for i := range list {
		v := &list[i]
		switch {
		case v.Error != "":
			problem = cmp.Or(problem, "its signature is not valid: "+v.Error)
		case v.Pack != nil && (v.Pack.Name != a.Entry.Pack || v.Pack.Tree != a.Entry.Tree):
			problem = fmt.Sprintf("the signature is about the pack %s, not %s", v.Pack.Name, a.Entry.Pack)
		case !rule.Accepts(v.Signer):
			problem = fmt.Sprintf("it is signed by %s, and packgen.yaml asks for %s", v.Signer, rule)
		default:
			good = append(good, v)
		}
	}
	if len(good) == 0 {
		return unsigned(hint, "%s", problem)
	}
	previous := o.previous()
	if previous == nil || previous.Signature == nil {
		return good[0], nil
	}
	was := signature.Of(previous.Signature)
	if at := slices.IndexFunc(good, func(v *signature.Verified) bool { return v.Signer.Same(was) }); at >= 0 {
		return good[at], nil
	}
	return unsigned("run packgen lock remove "+previous.Pack+" and packgen pull, if the new signer is meant",
		"it was signed by %s when it was locked, and is signed by %s now", was, good[0].Signer)
}

// askVerified has bundles verified.
func (o *Options) askVerified(ctx context.Context, rule *signature.Rule, digests []string, bundles [][]byte) ([]signature.Verified, error) {
	s := &o.Signatures
	q := signature.VerifyRequest{
		Bundles: bundles[:min(len(bundles), signature.MaxBundles)], Digests: digests, Keys: rule.Keys(), Identities: rule.Identities(),
		Root: rule.Root, Cache: s.Root, CA: s.CA, Offline: o.Offline,
	}
	r, err := s.Asker.Ask(ctx, signature.Request{Verify: &q})
	if err != nil {
		return nil, err
	}
	if len(r.Verified) != len(q.Bundles) {
		return nil, errors.New("not every signature was answered")
	}
	return r.Verified, nil
}

// replaceable returns what the lock holds of a reference, where a pack that differs from
// it must not be older; nil where any pack may take its place.
func (o *Options) replaceable(a *Artifact) *schema.LockedRef {
	was := o.previous()
	if was == nil || o.Signatures.AllowDowngrade || was.Tree == a.Entry.Tree && was.Pack == a.Entry.Pack {
		return nil
	}
	return was
}

// refuseReplaced refuses a pack that is another one than the lock holds, that is older by
// its version, or whose version cannot be compared.
func (o *Options) refuseReplaced(a *Artifact) error {
	was := o.replaceable(a)
	switch {
	case was == nil:
		return nil
	case was.Pack != a.Entry.Pack:
		return &SignatureError{a.Ref.Text, fmt.Sprintf("it led to the pack %s and leads to %s now", was.Pack, a.Entry.Pack),
			"ask who publishes it; packgen lock update --allow-downgrade takes the other pack"}
	case was.Version == "":
		return nil
	}
	const hint = "ask who publishes it; packgen lock update --allow-downgrade takes it"
	order, known := compareVersions(a.Entry.Version, was.Version)
	switch {
	case !known && a.Entry.Version == "":
		return &SignatureError{a.Ref.Text, fmt.Sprintf("it has no version, and %s is locked", was.Version), hint}
	case !known:
		return &SignatureError{a.Ref.Text, fmt.Sprintf("its version %s cannot be compared with %s, which is locked", a.Entry.Version, was.Version), hint}
	case order < 0:
		return &SignatureError{a.Ref.Text, fmt.Sprintf("it is version %s, older than %s, which is locked", a.Entry.Version, was.Version), hint}
	}
	return nil
}

// refuseSignedBefore refuses a pack that was signed before the one that is locked, unless
// its version is newer.
func (o *Options) refuseSignedBefore(a *Artifact, found *signature.Verified) error {
	was := o.replaceable(a)
	if was == nil || was.Signature == nil || found.Time.IsZero() {
		return nil
	}
	if order, known := compareVersions(a.Entry.Version, was.Version); known && order > 0 {
		return nil
	}
	if before, err := time.Parse(time.RFC3339, was.Signature.Signed); err == nil && found.Time.Before(before) {
		return &SignatureError{a.Ref.Text, fmt.Sprintf("it was signed at %s, before what is locked, which was signed at %s", found.Time.UTC().Format(time.RFC3339), was.Signature.Signed),
			"ask who publishes it; packgen lock update --allow-downgrade takes the older one"}
	}
	return nil
}

// bundles are the signatures that the cache holds of a pack, by the digest of its
// pack.json. They are verified each time: the cache is not trusted.
func (c *Cache) bundles(manifest string) [][]byte {
	var list [][]byte
	data, err := atomicfile.Read(c.bundlesName(manifest), maxKept)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil // what is missing is fetched
	}
	return list[:min(len(list), signature.MaxBundles)]
}

// addBundle keeps a bundle, before those that are kept.
func (c *Cache) addBundle(manifest string, kept [][]byte, bundle []byte) error {
	list := [][]byte{bundle}
	for _, have := range kept {
		if string(have) != string(bundle) && len(list) < signature.MaxBundles {
			list = append(list, have)
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return atomicfile.Write(c.bundlesName(manifest), data)
}

func (c *Cache) bundlesName(manifest string) string {
	return filepath.Join(c.dir, signaturesDir, manifest+".json")
}

// bundleBeside reads the bundle beside an archive on disk.
func bundleBeside(name string) func(context.Context) ([][]byte, error) {
	return func(context.Context) ([][]byte, error) {
		data, err := atomicfile.Read(name+signature.Ending, signature.MaxBundle)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the signature: %w", err)
		}
		return [][]byte{data}, nil
	}
}
