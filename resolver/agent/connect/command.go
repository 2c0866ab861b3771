package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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

// HookFlags are the flags of the hook that an agent runs.
type HookFlags struct {
	Reserve int
	Misses  bool
	Inject  string // tokens, or ""
}

// CommandLine is the command that an agent runs: the one given, otherwise the hook's
// own program when it lies beside this one, otherwise this one.
func CommandLine(command string, f HookFlags) (string, error) {
	if command == "" {
		program, err := os.Executable()
		if err != nil {
			return "", diag.WithHint(fmt.Errorf("find this program: %w", err), "name it with --command")
		}
		if command, err = hookOf(program); err != nil {
			return "", err
		}
	}
	if err := CheckReserve(f.Reserve); err != nil {
		return "", err
	}
	if !hook.IsOurs(command) {
		return "", diag.WithHint(fmt.Errorf("%q does not run packgen's hook", command), `name a command such as "packgen hook"; uninstall could not find another one`)
	}
	if f.Reserve != 0 {
		command += fmt.Sprintf(" --reserve %d", f.Reserve)
	}
	if f.Inject != "" {
		n, err := strconv.Atoi(f.Inject)
		if err != nil || n < hook.MinInject || n > hook.MaxInject {
			return "", diag.WithHint(fmt.Errorf("--inject %s is not a number of tokens that agents deliver whole", f.Inject), "write a number from %d to %d", hook.MinInject, hook.MaxInject)
		}
		command += fmt.Sprintf(" --inject=%d", n)
	}
	if f.Misses {
		command += " --record-misses"
	}
	return command, nil
}

// Programs returns the command line of the MCP server and the command of the hook. In a
// project, whose files others use too, a program is named without its path; for a user
// it is this program with its path, unless another is named. The hook is the program of
// its own where that lies beside the other.
func Programs(program string, user bool, f HookFlags) (server []string, hookCommand string, err error) {
	self, err := os.Executable()
	if err != nil && program == "" {
		return nil, "", diag.WithHint(fmt.Errorf("find this program: %w", err), "name it with --command")
	}
	command := ""
	switch {
	case program == "" && user:
		program = self
		command, err = hookOf(program)
	case program == "":
		program, command = "packgen", "packgen hook"
		if hasHook(self) {
			command = hook.ProgramName
		}
		err = nil
	default:
		command, err = hookOf(program)
	}
	if err != nil {
		return nil, "", err
	}
	hookCommand, err = CommandLine(command, f)
	return []string{program, "mcp"}, hookCommand, err
}

// beside is the path of the hook's own program in the directory of another.
func beside(program string) string {
	return filepath.Join(filepath.Dir(program), hook.ProgramName+filepath.Ext(program))
}

// hasHook reports whether the hook's own program lies beside another.
func hasHook(program string) bool {
	info, err := os.Stat(beside(program))
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// hookOf is the command of the hook that belongs to a program.
func hookOf(program string) (string, error) {
	if filepath.IsAbs(program) && hasHook(program) {
		return programWord(beside(program))
	}
	word, err := programWord(program)
	return word + " hook", err
}

// programWord writes the path of a program so that a shell reads it as one word.
func programWord(program string) (string, error) {
	if strings.ContainsAny(program, "\"$`\n") {
		return "", diag.WithHint(fmt.Errorf("a shell would not take %q for one program", program), "name it with --command, or move it to a plainer path")
	}
	if strings.ContainsAny(program, " \t'()&;|<>*?[]{}#~!") {
		program = `"` + program + `"`
	}
	return program, nil
}
