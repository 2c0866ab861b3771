package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/oktest"
)

// recordingFile is the drawing that the README shows: a terminal in which a
// repository is made, compiled and asked. It is not an asset of a pack: a site leaves
// out drawings with styles.
const recordingFile = "../../.github/first-minute.svg"

// recorded are the commands, and the second at which each is typed. The last frame
// is shown until recordingEnd.
var recorded = []struct {
	typed  string
	args   []string
	below  string // where it runs, below the directory of the recording
	second float64
}{
	{"packgen init my-knowledge", []string{"init", "my-knowledge"}, ".", 0.3},
	{"cd my-knowledge && packgen compile", []string{"compile"}, "my-knowledge", 2.4},
	{`packgen resolve "which bracket names the source of a claim"`, []string{"resolve", "which bracket names the source of a claim"}, "my-knowledge", 4.2},
}

const recordingEnd = 10 // seconds

// The recording shows what the commands print on standard output.
func TestReadmeRecordingIsCurrent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED, THE RECORDING IS NOT COMPARED: it is that of a machine with /")
	}
	t.Parallel()
	name, dir := program(t), t.TempDir()
	var lines []recordedLine
	for _, c := range recorded {
		cmd := exec.Command(name, c.args...)
		cmd.Dir = filepath.Join(dir, c.below)
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1780300800", "NO_COLOR=1", "HOME="+dir, "XDG_CACHE_HOME="+dir)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v", c.typed, err)
		}
		lines = append(lines, recordedLine{"$ " + c.typed, c.second})
		for i, text := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
			lines = append(lines, recordedLine{text, c.second + 0.5 + 0.05*float64(i)})
		}
	}
	want := drawRecording(lines)
	got, _ := os.ReadFile(recordingFile)
	if string(got) == want {
		return
	}
	if !*update {
		t.Fatalf("the recording is not what the commands print: go test ./cmd/packgen -run %s -update", t.Name())
	}
	oktest.Check(t, os.WriteFile(recordingFile, []byte(want), 0o644))
}

// recordedLine is a line of the terminal and the second at which it appears.
type recordedLine struct {
	text   string
	second float64
}

// The measures of the drawing, in pixels; lineWidth is the longest line, in characters.
const (
	lineHeight  = 17
	lineWidth   = 100
	width       = 766
	topMargin   = 44
	sideMargin  = 18
	bottomSpace = 16
)

// drawRecording draws lines that appear one after another, and again from the
// first. Readers who ask for less motion see all of them at once.
func drawRecording(lines []recordedLine) string {
	height := topMargin + lineHeight*len(lines) + bottomSpace
	var style, body strings.Builder
	for i, l := range lines {
		at := l.second / recordingEnd * 100
		fmt.Fprintf(&style, "@keyframes l%d{0%%,%.2f%%{opacity:0}%.2f%%,100%%{opacity:1}}.l%d{animation:l%d %ds step-end infinite}\n", i, at, at+0.01, i, i, recordingEnd)
		class := ""
		if strings.HasPrefix(l.text, "$ ") {
			class = " typed"
		}
		fmt.Fprintf(&body, "<text class=\"l%d%s\" x=\"%d\" y=\"%d\">%s</text>\n", i, class, sideMargin, topMargin+lineHeight*(i+1)-6, html.EscapeString(shorten(l.text)))
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="A terminal: packgen init makes a repository, packgen compile compiles its pack, packgen resolve prints the two sections that answer a question">
<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d5dbe3;white-space:pre}
.typed{fill:#8fd3ff;font-weight:600}
%s@media (prefers-reduced-motion:reduce){text{animation:none!important}}
</style>
<rect width="%d" height="%d" rx="8" fill="#14181f"/>
<circle cx="22" cy="20" r="5" fill="#5b6472"/><circle cx="40" cy="20" r="5" fill="#5b6472"/><circle cx="58" cy="20" r="5" fill="#5b6472"/>
%s</svg>
`, width, height, width, height, style.String(), width, height, body.String())
}

// shorten cuts a line to the width of the terminal.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= lineWidth {
		return s
	}
	return string([]rune(s)[:lineWidth-1]) + "…"
}
