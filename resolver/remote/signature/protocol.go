package signature

import "time"

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
