package main

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/workspace"
)

// hookMemory is the memory in bytes from which the hook collects garbage: below
// it ends before collecting would pay.
const hookMemory = 256 << 20

// promptHook runs the prompt hook when the command line asks for it, and reports
// whether it did. It is before everything else, since it runs on every prompt:
// no command tree is built. Flags that it does not know are passed over, for a
// failing hook may block the prompt.
func promptHook(args []string, stdin io.Reader, stdout, stderr io.Writer) bool {
	if len(args) == 0 || args[0] != "hook" {
		return false
	}
	args = args[1:]
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") || namesVerb(args) {
		return false
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	signal.Ignore(syscall.SIGPIPE) // an agent may close the pipe early
	home, err := os.UserHomeDir()
	if err != nil {
		return true
	}
	o := hookOptions(args)
	o.Home, o.Stdin, o.Stdout, o.Stderr = home, stdin, stdout, stderr
	hook.Run(o)
	return true
}

// namesVerb reports whether a word among the flags of the hook is no flag and no
// value of one: a subcommand, or in first place what looks like one. Other words
// are passed over.
func namesVerb(args []string) bool {
	for i, word := range args {
		switch {
		case strings.HasPrefix(word, "-"), i > 0 && slices.Contains(hookValues, args[i-1]):
		case slices.Contains(hookVerbs, word), i == 0 && nearest.Name(word, hookVerbs) != "":
			return true
		}
	}
	return false
}

// hookVerbs are the subcommands of the hook, hookValues its flags that take a
// value.
var (
	hookVerbs  = []string{"install", "uninstall", "test"}
	hookValues = []string{"--project", "--reserve", "--time-limit"}
)

// hookOptions reads the flags of the prompt hook.
func hookOptions(args []string) hook.Options {
	var o hook.Options
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		next := func() string {
			if !given && i+1 < len(args) {
				i++
				value = args[i]
			}
			return value
		}
		switch name {
		case "--project":
			if dir, err := filepath.Abs(next()); err == nil {
				o.Project = workspace.ProjectOf(dir)
			}
		case "--reserve":
			if n, err := strconv.Atoi(next()); err == nil {
				o.Reserve = n
			}
		case "--time-limit":
			if d, err := time.ParseDuration(next()); err == nil && d > 0 {
				o.TimeLimit = d
			}
		case "--record-misses":
			o.RecordMisses = !given || value == "true"
		}
	}
	return o
}
