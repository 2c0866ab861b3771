package main

import (
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
)

// gate is --fail-on: the lowest severity that makes the exit code 1.
type gate struct{ failOn string }

// gateWords are the values of --fail-on.
var gateWords = [...]string{diag.Error.String(), diag.Warning.String(), "never"}

// register adds the flag to a command.
func (g *gate) register(flags *pflag.FlagSet) {
	flags.StringVar(&g.failOn, "fail-on", gateWords[0], "exit with 1 for findings of this `SEVERITY` or above: error, warning or never")
}

func (g *gate) check() error { return oneOf("--fail-on", g.failOn, gateWords[:]...) }

// closed reports whether findings make the exit code 1.
func (g *gate) closed(list []diag.Diagnostic) bool {
	return g.closedFor(diag.Count(list, diag.Error) > 0, diag.Count(list, diag.Warning) > 0)
}

// closedFor is closed for errors and warnings that are not diagnostics.
func (g *gate) closedFor(errors, warnings bool) bool {
	return g.failOn != "never" && (errors || warnings && g.failOn == diag.Warning.String())
}

// verdict ends a command that has printed its findings: an error among them makes the exit
// code 1.
func verdict(findings []diag.Diagnostic) error {
	if diag.Count(findings, diag.Error) > 0 {
		return errFindings
	}
	return nil
}
