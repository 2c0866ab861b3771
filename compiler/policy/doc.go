// Package policy changes the severity of findings as a repository's packgen.yaml says:
// a rule that does not suit it is off, one that matters to it is an error.
//
// An error is left as it is, whatever a policy says. It reports what cannot be used
// or must not be published; off, it would let a run pass that left something out.
package policy
