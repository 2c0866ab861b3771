package hook

import (
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ProgramName is the name of the program that is the hook alone.
const ProgramName = "packgen-hook"

// word is a word of a command line, as a shell parts them.
type word struct {
	start, end int
	text       string // without quotes
}

// simpleCommands parts a command line at what joins commands: && || ; | & and line ends.
func simpleCommands(line string) (list [][]word) {
	var words []word
	end := func() {
		if len(words) > 0 {
			list = append(list, words)
		}
		words = nil
	}
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case strings.IndexByte("&|;\n", c) >= 0:
			end()
			i++
		default:
			w := readWord(line, i)
			words = append(words, w)
			i = w.end
		}
	}
	end()
	return list
}

// readWord reads the word that begins at an offset. A backslash is part of a path: lines of
// other systems have them.
func readWord(line string, at int) word {
	w := word{start: at}
	var b strings.Builder
	i := at
loop:
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' || c == '\'':
			n := strings.IndexByte(line[i+1:], c)
			if n < 0 {
				b.WriteString(line[i:])
				i = len(line)
				break loop
			}
			b.WriteString(line[i+1 : i+1+n])
			i += n + 1
		case c == '&' && i > at && (line[i-1] == '>' || line[i-1] == '<'): // 2>&1
			b.WriteByte(c)
		case strings.IndexByte(" \t\n&|;", c) >= 0:
			break loop
		default:
			b.WriteByte(c)
		}
	}
	w.end, w.text = i, b.String()
	return w
}

// Program returns the program of a command line.
func Program(command string) string {
	if words, _, ok := hookIn(command); ok {
		return words[0].text
	}
	for _, words := range simpleCommands(command) {
		return words[0].text
	}
	return ""
}

// IsOurs reports whether a command line runs packgen's hook, and no other program.
func IsOurs(command string) bool {
	_, _, ok := hookIn(command)
	return ok
}

// hookIn finds the words that run packgen's hook in a command line, without assignments
// before them; args are those after the program and its verb. What else is in the line
// may only be what a shell does itself.
func hookIn(line string) (words, args []word, ok bool) {
	for _, simple := range simpleCommands(line) {
		for len(simple) > 1 && (isAssignment(simple[0].text) || simple[0].text == "exec") {
			simple = simple[1:]
		}
		rest, is := hookArguments(simple)
		switch {
		case is && !ok:
			words, args, ok = simple, rest, true
		case is, !slices.Contains(builtins[:], simple[0].text) && !isAssignment(simple[0].text):
			return nil, nil, false
		}
	}
	return words, args, ok
}

// builtins are the commands that a line with the hook may have beside it.
var builtins = [...]string{"cd", "true", ":", "exit", "export", "set", "test", "["}

func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0
}

// hookArguments are the words after the program and its verb, when they are those of
// packgen's hook. A program of its name with flags that it has not is another one.
func hookArguments(words []word) (args []word, ok bool) {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0].text, `\`, "/")), ".exe")
	args = words[1:]
	switch name {
	case "packgen":
		if len(args) > 2 && args[0].text == "-C" {
			args = args[2:]
		}
		if len(args) == 0 || args[0].text != "hook" {
			return nil, false
		}
		args = args[1:]
		return args, len(args) == 0 || strings.HasPrefix(args[0].text, "-") || isRedirection(args[0].text)
	case ProgramName:
		for i := 0; i < len(args); i++ {
			flag, _, given := strings.Cut(args[i].text, "=")
			switch {
			case isRedirection(flag):
			case !slices.Contains(valueFlags[:], flag) && !slices.Contains(plainFlags[:], flag):
				return nil, false
			default:
				i += valueAfter(args, i, given)
			}
		}
		return args, true
	}
	return nil, false
}

// valueAfter is 1 when the word after a flag is its value, otherwise 0.
func valueAfter(words []word, i int, given bool) int {
	flag := words[i].text
	if !given && i+1 < len(words) && (slices.Contains(valueFlags[:], flag) || flag == "--inject" && isNumber(words[i+1].text)) {
		return 1
	}
	return 0
}

// The flags of the hook: those with a value, which may be the next word, and the others.
var (
	valueFlags = [...]string{"--project", "--matcher", "--reserve", "--time-limit"}
	plainFlags = [...]string{"--inject", "--record-misses"}
)

// isRedirection reports a word such as 2>/dev/null.
func isRedirection(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	return rest != "" && (rest[0] == '>' || rest[0] == '<')
}

// renewed is the command line with another command for the hook in it. Flags of the old one
// that the new one has not are kept, and what a shell does besides.
func renewed(have, command string) string {
	words, old, ok := hookIn(have)
	_, args, isHook := hookIn(command)
	if !ok || !isHook {
		return command
	}
	given := map[string]bool{}
	for _, w := range args {
		flag, _, _ := strings.Cut(w.text, "=")
		given[flag] = true
	}
	out := command
	for i := 0; i < len(old); i++ {
		flag, _, hasValue := strings.Cut(old[i].text, "=")
		start := old[i].start
		i += valueAfter(old, i, hasValue)
		end := old[i].end
		if !given[flag] {
			out += " " + have[start:end]
		}
	}
	return have[:words[0].start] + out + have[words[len(words)-1].end:]
}

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
