package main

import (
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/agent/hook"
)

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
	hook.Main(args, stdin, stdout, stderr)
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
