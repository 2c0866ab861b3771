// Package token holds the one token estimate that packgen uses everywhere.
//
// A token is four UTF-16 code units, rounded up (agent-knowledge section 13.8,
// loadout section 4). Counting UTF-16 units keeps the figures equal to those of
// the systems written in JavaScript that read the same indexes.
package token
