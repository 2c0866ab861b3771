// Package packpath holds the two rules for paths inside a pack: what a clean pack
// path is (agent-knowledge section 18.1), and which of those a published pack may
// have (section 2). It looks at text only; whether a file exists, or is a link, is
// for package pack.
package packpath
