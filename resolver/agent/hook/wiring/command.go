package wiring

import (
	"fmt"
	"os"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
)

// CheckReserve refuses a number of pointers that cannot be kept.
func CheckReserve(n int) error {
	if n < 0 || n > hook.MaxPointers {
		return diag.WithHint(fmt.Errorf("--reserve %d: there are %d pointers", n, hook.MaxPointers), "write a number from 0 to %d", hook.MaxPointers)
	}
	return nil
}

// CommandLine is the command that an agent runs.
func CommandLine(command string, reserve int, misses bool) (string, error) {
	if command == "" {
		program, err := os.Executable()
		if err != nil {
			return "", diag.WithHint(fmt.Errorf("find this program: %w", err), "name it with --command")
		}
		if program, err = programWord(program); err != nil {
			return "", err
		}
		command = program + " hook"
	}
	if err := CheckReserve(reserve); err != nil {
		return "", err
	}
	if !hook.IsOurs(command) {
		return "", diag.WithHint(fmt.Errorf("%q does not run packgen's hook", command), `name a command such as "packgen hook"; uninstall could not find another one`)
	}
	if reserve != 0 {
		command += fmt.Sprintf(" --reserve %d", reserve)
	}
	if misses {
		command += " --record-misses"
	}
	return command, nil
}

// programWord writes the path of a program so that a shell takes it for one word.
func programWord(program string) (string, error) {
	if strings.ContainsAny(program, "\"$`\n") {
		return "", diag.WithHint(fmt.Errorf("a shell would not take %q for one program", program), "name it with --command, or move it to a plainer path")
	}
	if strings.ContainsAny(program, " \t'()&;|<>*?[]{}#~!") {
		program = `"` + program + `"`
	}
	return program, nil
}
