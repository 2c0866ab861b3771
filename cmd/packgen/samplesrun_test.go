package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// run types the commands of the next block and compares what they print.
func (p *samplePage) run(ts *testscript.TestScript, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: run LANGUAGE [exit=N,N…] [without=PREFIX]… [needs=PROGRAM]")
	}
	var codes []string
	var without []string
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "exit":
			codes = strings.Split(value, ",")
		case "without":
			without = append(without, value)
		case "needs":
			if _, err := exec.LookPath(value); err != nil {
				ts.Logf("SKIPPED: %v", err)
				p.next(ts, args[0])
				return
			}
		default:
			ts.Fatalf("run: no option %s", name)
		}
	}
	f, text := p.next(ts, args[0])
	typed := 0
	var printed strings.Builder
	for _, s := range steps(f.language, text) {
		if slices.ContainsFunc(without, func(prefix string) bool { return strings.HasPrefix(s.command, prefix) }) {
			printed.WriteString(s.text())
			continue
		}
		code := "0"
		if typed < len(codes) {
			code = codes[typed]
		}
		typed++
		if dir, ok := strings.CutPrefix(s.command, "cd "); ok {
			ts.Check(ts.Chdir(p.meant(dir)))
		} else {
			s.output = p.shown(typeIn(ts, p.meant(s.command), code))
		}
		printed.WriteString(s.text())
	}
	if typed == 0 {
		ts.Fatalf("%s:%d: no command is typed", p.name, f.line)
	}
	if f.language == "console" {
		p.compare(ts, f, printed.String())
	}
}

// typeIn runs a command in the shell and returns all that it prints, as a
// terminal shows it.
func typeIn(ts *testscript.TestScript, command, code string) string {
	err := ts.Exec("bash", "-c", "exec 2>&1\n"+command)
	var exit *exec.ExitError
	got := "0"
	switch {
	case errors.As(err, &exit):
		got = itoa(exit.ExitCode())
	case err != nil:
		ts.Fatalf("%s: %v", command, err)
	}
	out := ts.ReadFile("stdout")
	if got != code {
		ts.Fatalf("%s: exit code %s, want %s\n%s", command, got, code, out)
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }

// step is a command of a block and what follows it.
type step struct {
	command string
	output  string
}

// text is the step as a console block has it.
func (s step) text() string { return "$ " + s.command + "\n" + s.output }

// steps reads the commands of a block.
func steps(language, text string) []step {
	var list []step
	if language == "console" {
		for part := range strings.SplitSeq(strings.TrimPrefix("\n"+text, "\n$ "), "\n$ ") {
			command, output, _ := strings.Cut(part, "\n")
			if output != "" && !strings.HasSuffix(output, "\n") {
				output += "\n"
			}
			list = append(list, step{command, output})
		}
		return list
	}
	command := ""
	for line := range strings.Lines(text) {
		command += line
		if strings.HasSuffix(line, "\\\n") {
			continue
		}
		if c := strings.TrimSpace(command); c != "" && !strings.HasPrefix(c, "#") {
			list = append(list, step{command: c})
		}
		command = ""
	}
	return list
}

// dots is a line that stands for any number of lines.
const dots = "…"

// sameSample reports whether a block shows a text: line by line, where a line of
// dots stands for any that are left out.
func sameSample(block, text string) bool {
	return sameLines(strings.Split(block, "\n"), strings.Split(text, "\n"))
}

func sameLines(block, text []string) bool {
	for i, line := range block {
		if strings.TrimSpace(line) == dots {
			for skipped := range len(text) - i + 1 {
				if sameLines(block[i+1:], text[i+skipped:]) {
					return true
				}
			}
			return false
		}
		if i >= len(text) || !sameLine(line, text[i]) {
			return false
		}
	}
	return len(block) == len(text)
}

// sizeFigure is a size for people. The site's own files change with every version
// of packgen, so a size in the manual is right when it is near.
var sizeFigure = regexp.MustCompile(`\b\d+(\.\d+)? (B|kB|MB)\b`)

const near = 0.02 // of a size

// timeFigure is a time that was measured: any other is as right.
var timeFigure = regexp.MustCompile(`\b\d+(\.\d+)? m?s\b`)

func sameLine(shown, printed string) bool {
	shown, printed = timeFigure.ReplaceAllString(shown, dots), timeFigure.ReplaceAllString(printed, dots)
	if shown == printed {
		return true
	}
	a, b := sizeFigure.FindAllString(shown, -1), sizeFigure.FindAllString(printed, -1)
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if x, y := bytesOf(a[i]), bytesOf(b[i]); math.Abs(x-y) > near*y {
			return false
		}
	}
	return withoutSizes(shown) == withoutSizes(printed)
}

// withoutSizes also evens out the blanks that columns of another width have.
func withoutSizes(line string) string {
	return strings.Join(strings.Fields(sizeFigure.ReplaceAllString(line, dots)), " ")
}

func bytesOf(size string) float64 {
	number, unit, _ := strings.Cut(size, " ")
	value, _ := strconv.ParseFloat(number, 64)
	return value * map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6}[unit]
}

func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// elide leaves out of a text what the block that showed it left out. Each run of
// lines between dots keeps its length: the first from the start, the last up to
// the end, any other from the line that it began with.
func elide(block, text string) (string, error) {
	old := strings.Split(block, "\n")
	if !slices.ContainsFunc(old, func(line string) bool { return strings.TrimSpace(line) == dots }) {
		return text, nil
	}
	lines := strings.Split(text, "\n")
	var out []string
	at := 0
	for i := 0; i < len(old); {
		end := i
		for end < len(old) && strings.TrimSpace(old[end]) != dots {
			end++
		}
		from := at
		switch {
		case end == len(old):
			from = len(lines) - (end - i)
		case i > 0 && end > i:
			found := slices.IndexFunc(lines[at:], func(line string) bool { return sameLine(old[i], line) })
			if found < 0 {
				return text, fmt.Errorf("no line %q after the dots", old[i])
			}
			from = at + found
		}
		if from < at || from+end-i > len(lines) {
			return text, fmt.Errorf("too few lines for what the block leaves out")
		}
		out = append(out, lines[from:from+end-i]...)
		at = from + end - i
		if end < len(old) {
			out = append(out, old[end])
		}
		i = end + 1
	}
	return strings.Join(out, "\n"), nil
}
