package packgentest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// WriteText writes a file and the folders that it lies in.
func WriteText(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Blocks returns the fenced blocks of a language in a Markdown page, in order.
func Blocks(page, language string) []string {
	var list []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		list = append(list, match[1])
	}
	return list
}
