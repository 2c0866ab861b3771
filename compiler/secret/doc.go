// Package secret finds likely secrets in texts and paths, and cuts them out of what is
// shown (agent-knowledge section 18.4). It knows nothing of packs, so that whatever
// prints can use it.
//
// A secret is known by its form where a provider gives its tokens one, or where
// it is a private key, and by what the text says where that calls it a password and it
// can be nothing else: those are [Hit.Known]. Everything else is a guess: a value that
// only looks random after a name such as token, an argument of a call, the token of
// a request header. A guess can be wrong, and so must not keep text from readers.
package secret
