package hook

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memoryLimit is the memory in bytes from which the hook collects garbage: below it
// ends before collecting would pay.
const memoryLimit = 256 << 20

// Main is the whole life of a process that answers one prompt. Flags that it does
// not know are skipped, for a failing hook may block the prompt.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	signal.Ignore(syscall.SIGPIPE) // an agent may close the pipe early
	home, _ := os.UserHomeDir()    // "" without one
	o := arguments(args)
	o.Home, o.Stdin, o.Stdout, o.Stderr = home, stdin, stdout, stderr
	Run(o)
}

// arguments reads the flags of the prompt hook.
func arguments(args []string) Options {
	var o Options
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
				o.Project = projectOf(dir)
			}
		case "--matcher":
			o.Matcher = next()
		case "--reserve":
			if n, err := strconv.Atoi(next()); err == nil {
				o.Reserve = n
			}
		case "--time-limit":
			if d, err := time.ParseDuration(next()); err == nil && d > 0 {
				o.TimeLimit = d
			}
		case "--inject":
			o.Inject = DefaultInject
			if !given && i+1 < len(args) && isNumber(args[i+1]) {
				i++
				value, given = args[i], true
			}
			switch n, err := strconv.Atoi(value); {
			case given && err != nil:
				o.skipped = append(o.skipped, args[i]+": not a number of tokens")
			case given:
				o.Inject = min(max(n, 0), MaxInject)
			}
		case "--record-misses":
			o.RecordMisses = !given || value == "true"
		default:
			o.skipped = append(o.skipped, args[i]+": no flag of the hook")
		}
	}
	return o
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// projectOf is the project that a directory is in: the nearest one that has a layer,
// up to the repository, or the directory itself.
func projectOf(dir string) string {
	if _, project := repositoryOf(dir); project != "" {
		return project
	}
	return dir
}
