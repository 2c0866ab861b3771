// Package signature says who signed a pack, who must have, and asks the program
// packgen-sign to sign and to verify.
//
// A signature is a Sigstore bundle over a statement that names the pack and holds the
// digests of its pack.json and of its archive. What verifies bundles is large and
// starts slowly, so it is a program of its own ([Program]); the rules of packgen.yaml
// ([Policy]) are read and applied here.
package signature
