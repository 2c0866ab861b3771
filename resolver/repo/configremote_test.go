package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// A checkout does not choose the credential helper: its configuration cannot name one, and
// neither a path nor a directory of PATH leads into it.
func TestTheCredentialHelperIsNotChosenByACheckout(t *testing.T) {
	c := DefaultConfig()
	for _, value := range []string{"sh", "python3", "/bin/sh", "./get", "''", "[sh]"} {
		faults, _ := ReadConfig(nil, &c, ConfigName, []byte("remote:\n  cache: grpcs://cache.example\n  helper: "+value+"\n"))
		if len(faults) != 1 || faults[0].Line != 3 || faults[0].Severity != diag.Error || !strings.Contains(faults[0].Hint, helperVariable) {
			t.Errorf("%s: %v", value, faults)
		}
	}
	dir := t.TempDir()
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "get-login"), []byte("#!/bin/sh\n"), 0o755))
	t.Chdir(dir)
	t.Setenv("PATH", strings.Join([]string{".", "", dir}, string(filepath.ListSeparator)))
	c.Remote.Cache = "grpcs://cache.example"
	for _, value := range []string{"get-login", "./get-login", "sub/../get-login"} {
		w := &Repo{Paths: Paths{Dir: dir}, Config: c, Environment: func(name string) string { return map[string]string{helperVariable: value}[name] }}
		if o, _, err := RemoteOptions(w); err == nil {
			t.Errorf("%s starts %s", value, o.Helper)
		}
	}
}
