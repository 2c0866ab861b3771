// Package mcp serves the packs of a repository to agents over the Model Context
// Protocol: tools that select and read text, the catalog as resources, and a prompt
// that brings a pack into use. It fetches nothing, and writes
// nothing but what the resolver counts once, in the state directory of the repository.
//
// Whatever a client sends is hostile input: paths stay inside the packs of the
// repository, answers are bounded, text from packs is fenced as data, and an invalid
// message is answered with an error and does not end the session.
package mcp
