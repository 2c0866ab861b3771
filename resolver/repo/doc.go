// Package repo opens what every command starts from: the repository that the
// command was started in, its packgen.yaml, its packs and roles, and the layers of the
// loadout.
//
// It prints nothing. What a person has to see on the way goes through the functions
// of a [Repo]; what is wrong comes back as diagnostics, or as errors with a hint
// and a class (package diag).
//
// It is one package because the configuration says where packs, roles, layers and what is
// kept of a build lie: whoever finds one of them needs the same Repo.
package repo
