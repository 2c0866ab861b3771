package packgentest

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Run runs packgen as a process and returns its exit code and what it prints.
func Run(t testing.TB, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Program(t, "packgen"), args...)
	var out, faults bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &faults
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), faults.String()
}
