// Command packgen compiles a repository of knowledge packs into views for agents, a loadout
// index and a website.
//
// Every command follows the same rules: data goes to standard output, everything else to
// standard error; --json prints one envelope; the exit code is 0 when the work is done, 1
// when there are findings that need action, 2 for wrong use or an environment that does not
// allow the work.
//
// A command is one file: it turns flags into options, calls a package, prints what comes
// back and sets the exit code. All of them are one package because they share the global
// flags, the envelope and the way a table or a finding is printed.
package main
