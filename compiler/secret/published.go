package secret

import (
	"crypto/sha256"
	"encoding/hex"
)

// isPublished reports a token that a vendor or a standard prints as an example in
// its own documentation, or that an emulator accepts by default. Such a token opens
// nothing, and many pages repeat it. Only its hash is kept here.
func isPublished(token []byte) bool {
	if len(token) > keyMost {
		return false
	}
	sum := sha256.Sum256(token)
	switch hex.EncodeToString(sum[:]) {
	case "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059", // Azure storage emulator
		"aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615", // Azure Cosmos emulator
		"2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326", // Stripe, test key of the first steps
		"f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397", // Stripe, an earlier one
		"3543c50b0cb9cea8e55eb1f529b79f043cb250d485fde7b66cabbb5183add7da", // GitHub, personal access tokens
		"b8e148545b13c78bc74da2f1a7275dd71e56ddece129d7d2f7b3ecc06f7994da", // RFC 6750, bearer token
		"6c96130f130ab0d6d158397e24d2bcc1c9a5e73ae081f6e983f1c7b545d24a4c", // RFC 6749, access token
		"6db2421df4cd9fc1050edb4a50d41c9e3bfd952845d2ad09a7d54a0e5235078b": // RFC 8410, Ed25519 private key
		return true
	}
	return false
}
