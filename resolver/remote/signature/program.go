package signature

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
)

// programName is the program that signs and verifies.
const programName = "packgen-sign"

// Asker answers requests: the program beside this one, or in tests the same in
// process.
type Asker interface {
	Ask(ctx context.Context, q Request) (*Response, error)
}

// Program runs packgen-sign, which is beside this program or in PATH.
type Program struct {
	Version string // of this program: that of packgen-sign must be the same
	Path    string // "" to look for it
}

// patience is how long the program may take together with the servers it asks.
const patience = 3 * time.Minute

// Ask runs the program once.
func (p Program) Ask(ctx context.Context, q Request) (*Response, error) {
	name := p.Path
	if name == "" {
		var err error
		if name, err = p.find(); err != nil {
			return nil, err
		}
	}
	q.Version = p.Version
	input, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", programName, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	output, problems := &bounded{most: MaxMessage}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = output, problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("run %s: %w", name, context.Cause(ctx))
		}
		line, _, _ := strings.Cut(strings.TrimSpace(string(problems.kept)), "\n")
		return nil, fmt.Errorf("run %s: %w: %s", name, err, diag.Printable(line))
	}
	return p.read(name, output.kept)
}

// read decodes an answer.
func (p Program) read(name string, data []byte) (*Response, error) {
	var r Response
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("run %s: its answer cannot be read: %w", name, err)
	}
	if r.Version != p.Version {
		return nil, diag.WithHint(fmt.Errorf("%s is of version %s, and packgen of version %s", name, diag.Printable(r.Version), p.Version),
			"install both from the same release")
	}
	if r.Error != "" {
		err := errors.New(diag.Printable(r.Error))
		if r.Hint != "" {
			return nil, diag.WithHint(err, "%s", diag.Printable(r.Hint))
		}
		return nil, err
	}
	return &r, nil
}

// find looks beside this program, through links, then in PATH.
func (p Program) find() (string, error) {
	var places []string
	if own, err := os.Executable(); err == nil {
		places = append(places, own)
		if real, err := filepath.EvalSymlinks(own); err == nil && real != own {
			places = append(places, real)
		}
	}
	for _, own := range places {
		beside := filepath.Join(filepath.Dir(own), programName+filepath.Ext(own))
		if path, err := scratch.FindProgram(beside); err == nil {
			return path, nil
		}
	}
	if path, err := scratch.FindProgram(programName); err == nil {
		return path, nil
	}
	where := "beside packgen"
	if len(places) > 0 {
		where = "in " + filepath.Dir(places[0])
	}
	return "", diag.WithHint(fmt.Errorf("signatures need the program %s, which is neither %s nor in PATH", programName, where),
		"install a release or package of packgen, which holds it, or run go build in cmd/%s of a checkout of v%s", programName, p.Version)
}

// bounded keeps what is written up to a limit, and drops the rest.
type bounded struct {
	kept []byte
	most int
}

// Write never fails, so that the program ends by itself.
func (b *bounded) Write(data []byte) (int, error) {
	room := max(0, b.most-len(b.kept))
	b.kept = append(b.kept, data[:min(room, len(data))]...)
	return len(data), nil
}

// Request is what packgen-sign is asked, as JSON on its standard input.
type Request struct {
	Version string         `json:"version"` // of packgen: the program must have the same
	Verify  *VerifyRequest `json:"verify,omitempty"`
	Sign    *SignRequest   `json:"sign,omitempty"`
}

// VerifyRequest asks who signed something.
type VerifyRequest struct {
	Bundles [][]byte `json:"bundles"`
	Digests []string `json:"digests"` // of what was signed, 64 hex digits each: a bundle must be about one of them
	Keys    [][]byte `json:"keys"`    // public keys that may have signed, in PEM
	// Identities says that an identity may have signed, not only a key: for that the root is
	// needed.
	Identities bool `json:"identities"`

	Root    []byte `json:"root,omitempty"` // the trusted root; absent means that of the public Sigstore, which is fetched
	Cache   string `json:"cache"`          // the directory where that is kept
	Offline bool   `json:"offline"`        // fetch nothing
	CA      string `json:"ca,omitempty"`   // the file of further certificate authorities, for servers
}

// Verified is what became of one bundle.
type Verified struct {
	Signer    Signer    `json:"signer"`
	Time      time.Time `json:"time"`      // when it was signed, as a log or authority says; zero when nobody does
	Digest    string    `json:"digest"`    // the one that it is about
	Pack      *Pack     `json:"pack"`      // what it says of the pack; nil when it is not a statement of packgen
	Error     string    `json:"error"`     // why it is not valid, "" when it is
	Signature []byte    `json:"signature"` // the bundle
}

// SignRequest asks for a signature.
type SignRequest struct {
	Statement []byte `json:"statement"`
	Key       []byte `json:"key,omitempty"`      // the private key, in PEM; absent for an identity
	Password  string `json:"password,omitempty"` // of the key
	Token     string `json:"token,omitempty"`    // the identity token, without a key
	// An identity token is asked for at this address with this bearer, unless there is one.
	TokenURL    string `json:"token_url,omitempty"`
	TokenBearer string `json:"token_bearer,omitempty"`

	Config []byte `json:"config,omitempty"` // the servers of a private Sigstore (signing_config.json)
	Root   []byte `json:"root,omitempty"`   // its trusted root
	Cache  string `json:"cache"`
	CA     string `json:"ca,omitempty"`
}

// Response is the answer, as JSON on standard output.
type Response struct {
	Version  string     `json:"version"` // of packgen-sign
	Verified []Verified `json:"verified,omitempty"`
	Bundle   []byte     `json:"bundle,omitempty"`
	Signer   Signer     `json:"signer"`
	Error    string     `json:"error,omitempty"` // why there is no answer
	Hint     string     `json:"hint,omitempty"`  // what to do about it
}

// MaxMessage is the largest request or response, in bytes.
const MaxMessage = 64 << 20

// Signer is who signed: an identity that an issuer vouched for, or a key.
type Signer struct {
	Issuer  string `json:"issuer,omitempty"`  // the address of who vouched for the identity
	Subject string `json:"subject,omitempty"` // the identity: an address of a workflow, or of mail
	Key     string `json:"key,omitempty"`     // "sha256:" and the digest of a public key (PKIX, DER)
}

// String names the signer in messages.
func (s Signer) String() string {
	if s.Key != "" {
		return "the key " + s.Key
	}
	return s.Subject + " (" + s.Issuer + ")"
}

// Same reports the same signer. The branch or tag for which a workflow ran, which
// follows "@refs/" in its identity, is not part of who it is.
func (s Signer) Same(other Signer) bool {
	return s.Issuer == other.Issuer && s.Key == other.Key && withoutGitRef(s.Subject) == withoutGitRef(other.Subject)
}

func withoutGitRef(subject string) string {
	if at := strings.LastIndex(subject, "@refs/"); at >= 0 {
		return subject[:at]
	}
	return subject
}

// Of is the signer that a lock file holds.
func Of(l *schema.LockedSignature) Signer {
	return Signer{Issuer: l.Issuer, Subject: l.Subject, Key: l.Key}
}

// What a signature of a pack is about.
const (
	statementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/packgen/packgen/attestation/pack/v1"
	PayloadType   = "application/vnd.in-toto+json"

	// BundleType is the media type of a Sigstore bundle in a registry.
	BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	// Ending is what follows the name of an archive in the name of its bundle.
	Ending = archive.SignatureEnding
	// MaxBundle is the largest bundle that is read, in bytes.
	MaxBundle = 1 << 20
	// MaxBundles is how many bundles of one pack are looked at.
	MaxBundles = 20
)

// Pack is a pack that is signed.
type Pack struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"` // as the pack declares it
	Tree     string `json:"tree"`
	Manifest string `json:"-"` // digest of its pack.json: 64 hex digits
	Archive  string `json:"-"` // digest of its archive, in the same form
}

// Statement returns the bytes that are signed of a pack.
func Statement(p Pack) ([]byte, error) {
	type subject struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	}
	data, err := json.Marshal(struct {
		Type          string    `json:"_type"`
		Subject       []subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     Pack      `json:"predicate"`
	}{statementType, []subject{
		{p.Name + "/pack.json", map[string]string{"sha256": p.Manifest}},
		{p.Name + ".tar.gz", map[string]string{"sha256": p.Archive}},
	}, PredicateType, p})
	if err != nil {
		return nil, fmt.Errorf("describe %s for its signature: %w", p.Name, err)
	}
	return data, nil
}
