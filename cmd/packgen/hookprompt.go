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

// hookMemory is the heap size in bytes from which the hook collects garbage. It usually
// ends before a collection would pay.
const hookMemory = 256 << 20

// promptHook runs the prompt hook if the command line asks for it, and reports whether it
// did. It runs on every prompt, so it comes before the command tree is built. It ignores
// unknown flags, because a hook that fails may block the prompt.
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
	signal.Ignore(syscall.SIGPIPE) // the agent may close the pipe early
	home, err := os.UserHomeDir()
	if err != nil {
		return true
	}
	o := hookOptions(args)
	o.Home, o.Stdin, o.Stdout, o.Stderr = home, stdin, stdout, stderr
	hook.Run(o)
	return true
}

// namesVerb reports whether the arguments name a subcommand: a word that is neither a flag
// nor a flag's value, or a first word that is close to one.
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

// hookVerbs are the subcommands of hook, hookValues its flags that take a value.
var (
	hookVerbs  = []string{"install", "uninstall", "test"}
	hookValues = []string{"--project", "--reserve", "--time-limit"}
)

// hookOptions parses the flags of the prompt hook.
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
