package sigstore

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	sig "github.com/sigstore/sigstore/pkg/signature"

	"github.com/packgen/packgen/compiler/diag"
)

// publicKey is a key that may have signed.
type publicKey struct {
	digest   string // "sha256:" and 64 hex digits of its PKIX form
	verifier sig.Verifier
}

// publicKeys reads keys in PEM.
func publicKeys(list [][]byte) ([]publicKey, error) {
	var keys []publicKey
	for _, data := range list {
		key, err := cryptoutils.UnmarshalPEMToPublicKey(data)
		if err != nil {
			return nil, diag.WithHint(fmt.Errorf("read a public key: %w", err), "name a public key in PEM, such as openssl pkey -pubout writes")
		}
		verifier, err := sig.LoadDefaultVerifier(key)
		if err != nil {
			return nil, diag.WithHint(fmt.Errorf("use a public key: %w", err), "use ECDSA on P-256, P-384 or P-521, Ed25519, or RSA of 2048 bits and more")
		}
		digest, err := digestOf(key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, publicKey{digest, verifier})
	}
	return keys, nil
}

func digestOf(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("write a public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// material trusts the one key, at any time.
func (k publicKey) material() root.TrustedMaterial {
	return root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(k.verifier, time.Time{}, time.Time{}), nil
	})
}

// keypair signs with a private key of the caller.
type keypair struct {
	signer  sig.Signer
	details sig.AlgorithmDetails
	public  crypto.PublicKey
	digest  string
}

// readKeypair reads a private key in PEM: PKCS #8, PKCS #1 or SEC 1, or one that cosign
// encrypted.
func readKeypair(data []byte, password string) (*keypair, error) {
	refuse := func(err error) (*keypair, error) {
		return nil, diag.WithHint(fmt.Errorf("use the key: %w", err), "name a private key in PEM, such as openssl genpkey -algorithm ed25519 writes; PACKGEN_SIGN_PASSWORD is the password of an encrypted one")
	}
	private, err := cryptoutils.UnmarshalPEMToPrivateKey(data, func(bool) ([]byte, error) {
		if password == "" {
			return nil, errors.New("it is encrypted, and there is no password")
		}
		return []byte(password), nil
	})
	if err != nil {
		return refuse(err)
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return refuse(errors.New("it cannot sign"))
	}
	details, err := sig.GetDefaultAlgorithmDetails(signer.Public())
	if err != nil {
		return refuse(err)
	}
	k := &keypair{details: details, public: signer.Public()}
	if k.signer, err = sig.LoadSignerFromAlgorithmDetails(private, details); err != nil {
		return refuse(err)
	}
	if k.digest, err = digestOf(k.public); err != nil {
		return refuse(err)
	}
	return k, nil
}

var _ sign.Keypair = (*keypair)(nil)

// GetHashAlgorithm is the hash that is signed.
func (k *keypair) GetHashAlgorithm() protocommon.HashAlgorithm { return k.details.GetProtoHashType() }

// GetSigningAlgorithm is the algorithm of the key.
func (k *keypair) GetSigningAlgorithm() protocommon.PublicKeyDetails {
	return k.details.GetSignatureAlgorithm()
}

// GetHint is the digest of the public key, by which a bundle names it.
func (k *keypair) GetHint() []byte { return []byte(k.digest) }

// GetKeyAlgorithm is the kind of the key.
func (k *keypair) GetKeyAlgorithm() string {
	switch k.details.GetKeyType() {
	case sig.RSA:
		return "RSA"
	case sig.ED25519:
		return "ED25519"
	}
	return "ECDSA"
}

// GetPublicKey is the public key.
func (k *keypair) GetPublicKey() crypto.PublicKey { return k.public }

// GetPublicKeyPem is the public key in PEM.
func (k *keypair) GetPublicKeyPem() (string, error) {
	data, err := cryptoutils.MarshalPublicKeyToPEM(k.public)
	return string(data), err
}

// SignData signs data. It also returns what a bundle holds as the digest of them.
func (k *keypair) SignData(_ context.Context, data []byte) (made, digest []byte, err error) {
	made, err = k.signer.SignMessage(bytes.NewReader(data))
	digest = data
	if h := k.details.GetHashType(); h != crypto.Hash(0) {
		sum := h.New()
		sum.Write(data) // a hash never fails
		digest = sum.Sum(nil)
	}
	return made, digest, err
}
