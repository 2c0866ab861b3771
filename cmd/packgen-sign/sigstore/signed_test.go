package sigstore

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protodsse "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// inProcess answers as packgen-sign does.
type inProcess struct{ asked *int }

func (p inProcess) Ask(ctx context.Context, q signature.Request) (*signature.Response, error) {
	if p.asked != nil {
		*p.asked++
	}
	r := Answer(ctx, q)
	if r.Error != "" {
		return nil, errors.New(r.Error)
	}
	return &r, nil
}

const (
	ciIssuer = "https://token.actions.githubusercontent.com"
	alice    = "https://github.com/acme/packs/.github/workflows/release.yml@refs/tags/v1"
	alice2   = "https://github.com/acme/packs/.github/workflows/release.yml@refs/tags/v2"
	mallet   = "https://github.com/mallet/packs/.github/workflows/release.yml@refs/tags/v1"
	byBoth   = "https://github.com/*/packs/.github/workflows/release.yml@refs/tags/*"
	byAcme   = "https://github.com/acme/packs/.github/workflows/release.yml@refs/tags/*"
)

// authority is a Sigstore of its own, in memory.
type authority struct {
	*ca.VirtualSigstore
	root []byte
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	v, err := ca.NewVirtualSigstore()
	oktest.Check(t, err)
	logs := v.RekorLogs()
	for id, l := range logs {
		if l.ID, err = hex.DecodeString(id); err != nil {
			t.Fatal(err)
		}
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, v.FulcioCertificateAuthorities(), nil, v.TimestampingAuthorities(), logs)
	oktest.Check(t, err)
	data, err := trusted.MarshalJSON()
	oktest.Check(t, err)
	return &authority{v, data}
}

// sign signs a pack for an identity, at a time from now.
func (a *authority) sign(t testing.TB, s *sample, subject, by string, later time.Duration) []byte {
	t.Helper()
	return a.attest(t, statementOf(t, s), subject, by, later)
}

// attest signs a statement.
func (a *authority) attest(t testing.TB, statement []byte, subject, by string, later time.Duration) []byte {
	t.Helper()
	made, err := a.AttestAtTime(subject, by, statement, time.Now().Add(later), true)
	oktest.Check(t, err)
	content, err := made.VerificationContent()
	oktest.Check(t, err)
	signed, err := made.SignatureContent()
	oktest.Check(t, err)
	entries, err := made.TlogEntries()
	oktest.Check(t, err)
	b := &protobundle.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
		VerificationMaterial: &protobundle.VerificationMaterial{
			Content: &protobundle.VerificationMaterial_Certificate{Certificate: &protocommon.X509Certificate{RawBytes: content.Certificate().Raw}},
		},
		Content: &protobundle.Bundle_DsseEnvelope{DsseEnvelope: &protodsse.Envelope{
			Payload: statement, PayloadType: signature.PayloadType,
			Signatures: []*protodsse.Signature{{Sig: signed.Signature()}},
		}},
	}
	for _, e := range entries {
		entry := e.TransparencyLogEntry()
		entry.KindVersion = &protorekor.KindVersion{Kind: "dsse", Version: "0.0.1"} // the virtual log leaves it and its promise out
		id, err := a.RekorLogID()
		oktest.Check(t, err)
		promise, err := a.RekorSignPayload(tlog.RekorPayload{Body: base64.StdEncoding.EncodeToString(entry.CanonicalizedBody), IntegratedTime: entry.IntegratedTime, LogIndex: entry.LogIndex, LogID: id})
		oktest.Check(t, err)
		entry.InclusionPromise = &protorekor.InclusionPromise{SignedEntryTimestamp: promise}
		b.VerificationMaterial.TlogEntries = append(b.VerificationMaterial.TlogEntries, entry)
	}
	data, err := protojson.Marshal(b)
	oktest.Check(t, err)
	return data
}

func statementOf(t testing.TB, s *sample) []byte {
	t.Helper()
	data, err := signature.Statement(signature.Pack{Name: s.name, Version: "1.2.0", Tree: s.tree, Manifest: archive.SHA256(s.manifest), Archive: archive.SHA256(s.targz)})
	oktest.Check(t, err)
	return data
}

// asking are options that ask for a signature by an identity, everywhere.
func asking(t testing.TB, a *authority, by, subject string) remote.Options {
	t.Helper()
	o := options(t)
	o.Signatures = remote.Signatures{Asker: inProcess{}, Policy: &signature.Policy{Rules: []signature.Rule{
		{Ref: "**", Root: a.root, Signers: []signature.Allowed{{Issuer: by, Subject: subject}}},
	}}}
	return o
}

func TestAPackIsSignedAsARuleAsksOrRefused(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	kettle, pot := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds.")
	good := a.sign(t, kettle, alice, ciIssuer, 5*time.Minute)
	for _, tt := range []struct {
		name   string
		bundle []byte
		want   string // of the error; "" for none
	}{
		{"right", good, ""},
		{"wrong subject", a.sign(t, kettle, mallet, ciIssuer, 5*time.Minute), "signed by " + mallet + " (" + ciIssuer + "), and packgen.yaml asks for " + byAcme},
		{"wrong issuer", a.sign(t, kettle, alice, "https://accounts.example.org", 5*time.Minute), "(https://accounts.example.org), and packgen.yaml asks for"},
		{"other digest: the signature of another pack", a.sign(t, pot, alice, ciIssuer, 5*time.Minute), "its signature is not valid"},
		{"expired: signed after the certificate's time", a.sign(t, kettle, alice, ciIssuer, time.Hour), "its signature is not valid"},
		{"of an authority that is not trusted", other.sign(t, kettle, alice, ciIssuer, 5*time.Minute), "its signature is not valid"},
		{"stripped", nil, "it is not signed, and packgen.yaml asks for a signature by " + byAcme},
		{"not a bundle", []byte(`{"x":`), "it is not a Sigstore bundle"},
		{"without its entry in the log", withoutLog(t, good), "its signature is not valid"},
		{"a statement that was changed", []byte(strings.Replace(string(good), `"payload":"`, `"payload":"e30K`, 1)), "its signature is not valid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := asking(t, a, ciIssuer, byAcme)
			name := signedFile(t, kettle, tt.bundle)
			got, err := remote.Open(context.Background(), mustRef(t, name), o)
			if err == nil {
				defer got.Close()
			}
			var refused *remote.SignatureError
			switch {
			case tt.want == "" && err != nil:
				t.Fatal(err)
			case tt.want == "":
				if s := got.Entry.Signature; s == nil || s.Issuer != ciIssuer || s.Subject != alice || s.Signed == "" {
					t.Errorf("the entry says %+v", s)
				}
			case !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want):
				t.Errorf("want %q, got %v", tt.want, err)
			}
			if _, err := remote.Open(context.Background(), mustRef(t, name), options(t)); err != nil {
				t.Errorf("where no rule asks: %v", err)
			}
		})
	}
}

// withoutLog takes the entry of the log out of a bundle.
func withoutLog(t testing.TB, data []byte) []byte {
	t.Helper()
	var b protobundle.Bundle
	oktest.Check(t, protojson.Unmarshal(data, &b))
	b.VerificationMaterial.TlogEntries = nil
	data, err := protojson.Marshal(&b)
	oktest.Check(t, err)
	return data
}

func TestASignatureIsNotGoodForAnotherName(t *testing.T) {
	a := newAuthority(t)
	kettle, pot := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds.")
	server := fetchtest.NewRegistry(t)
	o := asking(t, a, ciIssuer, byAcme)
	pushSigned(t, o, "oci://"+server.Host()+"/acme/kettle", kettle, a.sign(t, kettle, alice, ciIssuer, time.Minute))
	entry := mustOpen(t, "oci://"+server.Host()+"/acme/kettle", o).Entry
	// Whoever has the registry puts another signed pack there.
	pushSigned(t, o, "oci://"+server.Host()+"/acme/kettle", pot, a.sign(t, pot, alice, ciIssuer, time.Minute))
	o.Signatures.Previous = &entry
	_, err := remote.Open(context.Background(), mustRef(t, entry.Ref), o)
	if err == nil || !strings.Contains(err.Error(), "led to the pack kettle and leads to pot now") {
		t.Errorf("%v", err)
	}
	_, err = remote.Open(context.Background(), mustRef(t, entry.Ref+"#kettle"), o)
	if err == nil || !strings.Contains(err.Error(), `this is pack "pot"`) {
		t.Errorf("%v", err)
	}
}

// pushSigned pushes a pack with its signature.
func pushSigned(t testing.TB, o remote.Options, ref string, s *sample, bundle []byte) registry.Pushed {
	t.Helper()
	r, p := mustRef(t, ref), pushedPack(t, s)
	p.Bundle = bundle
	list, err := registry.Push(context.Background(), fetch.New(o.Fetch), r.Registry, []registry.Pack{p}, registry.Options{Tags: []string{r.Registry.Tag}})
	oktest.Check(t, err)
	return list[0]
}

func TestASignatureIsAReferrerInARegistry(t *testing.T) {
	a := newAuthority(t)
	s := publish(t, "kettle", "It boils.")
	for name, noReferrers := range map[string]bool{"with the list of referrers": false, "with a tag in its place": true} {
		t.Run(name, func(t *testing.T) {
			server := fetchtest.NewRegistry(t)
			server.NoReferrers = noReferrers
			o := asking(t, a, ciIssuer, byAcme)
			ref := "oci://" + server.Host() + "/acme/kettle:1"
			if done := pushSigned(t, o, ref, s, a.sign(t, s, alice, ciIssuer, time.Minute)); done.Bundle == "" {
				t.Errorf("%+v", done)
			}
			entry := mustOpen(t, ref, o).Entry
			if entry.Signature == nil || entry.Signature.Subject != alice {
				t.Fatalf("%+v", entry.Signature)
			}
			// What is locked needs no network, as long as the cache has it.
			locked := o
			locked.Locked, locked.Offline = &entry, true
			if got := mustOpen(t, ref, locked).Entry; got.Signature == nil {
				t.Error("the lock forgets who signed")
			}
			server.DropReferrers()
			server.PutManifest("acme/kettle", strings.Replace(entry.OCI, ":", "-", 1), "application/vnd.oci.image.index.v1+json", []byte(`{"schemaVersion":2,"manifests":[]}`))
			fresh := emptyCache(t, o)
			if _, err := remote.Open(context.Background(), mustRef(t, ref), fresh); err == nil || !strings.Contains(err.Error(), "it is not signed") {
				t.Errorf("stripped: %v", err)
			}
			fresh.Locked = &entry
			if _, err := remote.Open(context.Background(), mustRef(t, ref), fresh); err == nil || !strings.Contains(err.Error(), "it is not signed") {
				t.Errorf("stripped of what is locked: %v", err)
			}
		})
	}
}

func TestAChangeOfSignerNamesBoth(t *testing.T) {
	a := newAuthority(t)
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	server := fetchtest.NewRegistry(t)
	o := asking(t, a, ciIssuer, byBoth)
	ref := "oci://" + server.Host() + "/acme/kettle"
	pushSigned(t, o, ref, old, a.sign(t, old, alice, ciIssuer, time.Minute))
	entry := mustOpen(t, ref, o).Entry
	o.Signatures.Previous = &entry
	pushSigned(t, o, ref, newer, a.sign(t, newer, mallet, ciIssuer, 2*time.Minute))
	_, err := remote.Open(context.Background(), mustRef(t, ref), o)
	if err == nil || !strings.Contains(err.Error(), "was signed by "+alice) || !strings.Contains(err.Error(), "is signed by "+mallet) {
		t.Errorf("%v", err)
	}
	// Another tag of the same workflow is the same signer.
	pushSigned(t, o, ref, newer, a.sign(t, newer, alice2, ciIssuer, 3*time.Minute))
	if got := mustOpen(t, ref, o).Entry; got.Signature.Subject != alice2 || got.Tree != newer.tree {
		t.Errorf("%+v", got)
	}
}

func TestAnOlderPackIsRefused(t *testing.T) {
	a := newAuthority(t)
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	server := fetchtest.NewRegistry(t)
	o := asking(t, a, ciIssuer, byAcme)
	ref := "oci://" + server.Host() + "/acme/kettle"
	pushSigned(t, o, ref, newer, a.sign(t, newer, alice, ciIssuer, 5*time.Minute))
	entry := mustOpen(t, ref, o).Entry
	pushSigned(t, o, ref, old, a.sign(t, old, alice, ciIssuer, time.Minute))
	o.Signatures.Previous = &entry
	if _, err := remote.Open(context.Background(), mustRef(t, ref), o); err == nil || !strings.Contains(err.Error(), "before what is locked") {
		t.Errorf("signed before: %v", err)
	}
	entry.Version = "1.10.0" // the sample is 1.2.0
	if _, err := remote.Open(context.Background(), mustRef(t, ref), o); err == nil || !strings.Contains(err.Error(), "it is version 1.2.0, older than 1.10.0") {
		t.Errorf("an older version: %v", err)
	}
	o.Signatures.AllowDowngrade = true
	if got := mustOpen(t, ref, o).Entry; got.Tree != old.tree {
		t.Errorf("allowed: %+v", got)
	}
}

// keyPair makes a key: the private and the public one, in PEM.
func keyPair(t testing.TB) (private, public []byte) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	oktest.Check(t, err)
	a, err := x509.MarshalPKCS8PrivateKey(priv)
	oktest.Check(t, err)
	b, err := x509.MarshalPKIXPublicKey(pub)
	oktest.Check(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})
}

func TestAKeySignsWithoutAnyServer(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	private, public := keyPair(t)
	_, others := keyPair(t)
	r, err := inProcess{}.Ask(context.Background(), signature.Request{Sign: &signature.SignRequest{Statement: statementOf(t, s), Key: private}})
	oktest.Check(t, err)
	o := options(t)
	o.Offline = true
	rule := signature.Rule{Ref: "**", Signers: []signature.Allowed{{KeyFile: "other.pub", Key: others}, {KeyFile: "acme.pub", Key: public}}}
	o.Signatures = remote.Signatures{Asker: inProcess{}, Policy: &signature.Policy{Rules: []signature.Rule{rule}}}
	o.Offline = false
	name := signedFile(t, s, r.Bundle)
	if got := mustOpen(t, name, o).Entry.Signature; got == nil || got.Key != r.Signer.Key || !strings.HasPrefix(got.Key, "sha256:") || got.Signed != "" {
		t.Errorf("%+v", got)
	}
	rule.Signers = rule.Signers[:1]
	o.Signatures.Policy = &signature.Policy{Rules: []signature.Rule{rule}}
	if _, err := remote.Open(context.Background(), mustRef(t, name), o); err == nil || !strings.Contains(err.Error(), "not valid") {
		t.Errorf("another key: %v", err)
	}
	identity := asking(t, newAuthority(t), ciIssuer, byAcme)
	if _, err := remote.Open(context.Background(), mustRef(t, name), identity); err == nil || !strings.Contains(err.Error(), "signed with a key") {
		t.Errorf("where an identity is asked for: %v", err)
	}
}

// A lock that somebody edited does not make a pack signed: pack.json binds the files.
func TestALockDoesNotVouchForASignature(t *testing.T) {
	a := newAuthority(t)
	good, bad := publish(t, "kettle", "It boils."), publish(t, "kettle", "It explodes.")
	o := asking(t, a, ciIssuer, byAcme)
	signed := mustOpen(t, signedFile(t, good, a.sign(t, good, alice, ciIssuer, time.Minute)), o).Entry
	plain := o
	plain.Signatures = remote.Signatures{}
	server := fetchtest.NewRegistry(t)
	ref := "oci://" + server.Host() + "/acme/kettle"
	pushSigned(t, plain, ref, bad, nil)
	forged := mustOpen(t, ref, plain).Entry
	forged.Signature = signed.Signature
	o.Locked = &forged
	if _, err := remote.Open(context.Background(), mustRef(t, ref), o); err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("%v", err)
	}
	forged.Manifest = signed.Manifest
	if _, err := remote.Open(context.Background(), mustRef(t, ref), o); err == nil {
		t.Error("the signature of another pack.json is taken")
	}
}

func TestAnArtifactOfCIHoldsItsSignature(t *testing.T) {
	a := newAuthority(t)
	s := publish(t, "kettle", "It boils.")
	gh := fetchtest.NewGitHub(t)
	gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: zipped(t, map[string][]byte{
		"kettle.tar.gz": s.targz, "kettle.tar.gz" + signature.Ending: a.sign(t, s, alice, ciIssuer, time.Minute),
	})})
	o := asking(t, a, ciIssuer, byAcme)
	o.Fetch.Getenv = gh.Getenv
	for range 2 { // from the network, then from the cache
		if got := mustOpen(t, "gha://o/r/packs", o).Entry.Signature; got == nil || got.Subject != alice {
			t.Errorf("%+v", got)
		}
	}
}

func TestASiteHasTheSignatureBesideTheArchive(t *testing.T) {
	a := newAuthority(t)
	s := publish(t, "kettle", "It boils.")
	files := map[string][]byte{"x/kettle.tar.gz": s.targz}
	web := serve(t, files)
	o := asking(t, a, ciIssuer, byAcme)
	ref := web.URL + "/x/kettle.tar.gz"
	if _, err := remote.Open(context.Background(), mustRef(t, ref), o); err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("%v", err)
	}
	files["x/kettle.tar.gz"+signature.Ending] = a.sign(t, s, alice, ciIssuer, time.Minute)
	if got := mustOpen(t, ref, o).Entry.Signature; got == nil || got.Subject != alice {
		t.Errorf("%+v", got)
	}
}

// An attestation of a build is about all archives that the build made.
func TestAnAttestationOfABuildIsASignatureOfEachPack(t *testing.T) {
	a := newAuthority(t)
	kettle, pot, other := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds."), publish(t, "other", "It is another one.")
	statement := fmt.Sprintf(`{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"packs/kettle/pack.tar.gz","digest":{"sha256":%q}},{"name":"packs/pot/pack.tar.gz","digest":{"sha256":%q}}],"predicateType":"https://slsa.dev/provenance/v1","predicate":{"buildDefinition":{"buildType":"https://actions.github.io/buildtypes/workflow/v1"}}}`,
		archive.SHA256(kettle.targz), archive.SHA256(pot.targz))
	bundle := a.attest(t, []byte(statement), alice, ciIssuer, time.Minute)
	files := map[string][]byte{}
	for _, s := range []*sample{kettle, pot, other} {
		files["x/"+s.name+".tar.gz"], files["x/"+s.name+".tar.gz"+signature.Ending] = s.targz, bundle
	}
	web := serve(t, files)
	o := asking(t, a, ciIssuer, byAcme)
	for _, s := range []*sample{kettle, pot} {
		if got := mustOpen(t, web.URL+"/x/"+s.name+".tar.gz", o).Entry.Signature; got == nil || got.Subject != alice {
			t.Errorf("%s: %+v", s.name, got)
		}
	}
	if _, err := remote.Open(context.Background(), mustRef(t, web.URL+"/x/other.tar.gz"), o); err == nil || !strings.Contains(err.Error(), "not valid") {
		t.Errorf("a pack that the attestation does not name: %v", err)
	}
}
