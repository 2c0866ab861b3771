// Package doctor looks at each link of the chain from a MEMORY.md to a prompt, and
// says what is wrong with it and what to do: the store, the published index, the
// layers, the hook and how long it takes, the usage log, the matcher and the site.
package doctor
