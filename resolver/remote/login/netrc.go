package login

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
)

// maxNetrc is the largest .netrc that is read, in bytes.
const maxNetrc = 1 << 20

// netrc reads the file that NETRC names, otherwise .netrc (on Windows _netrc) of the
// user's directory. Its entry "default" is not used: it would go to every host.
func (f Finder) netrc(host string) (*Login, error) {
	name := f.Getenv("NETRC")
	if name == "" {
		home := f.home()
		if home == "" {
			return nil, nil
		}
		name = filepath.Join(home, ".netrc")
		if runtime.GOOS == "windows" {
			name = filepath.Join(home, "_netrc")
		}
	}
	data, err := atomicfile.Read(name, maxNetrc)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	bare, _, _ := strings.Cut(host, ":")
	for _, machine := range []string{host, bare} {
		if l := inNetrc(string(data), machine); l != nil {
			l.From = name
			return l, l.check()
		}
	}
	return nil, nil
}

// inNetrc finds the entry of a machine, nil when there is none.
func inNetrc(text, machine string) *Login {
	words := &netrcWords{rest: text}
	var found *Login
	for word := words.next(); word != ""; word = words.next() {
		switch word {
		case "machine":
			if found != nil {
				return found
			}
			if strings.EqualFold(words.next(), machine) {
				found = &Login{}
			}
		case "default":
			return found
		case "macdef":
			words.skipMacro()
		case "login", "password", "account":
			value := words.next()
			switch {
			case found == nil:
			case word == "login":
				found.User = value
			case word == "password":
				found.Password = value
			}
		}
	}
	return found
}

// netrcWords are the words of a .netrc: apart by blanks, some in quotes.
type netrcWords struct{ rest string }

const netrcBlanks = " \t\r\n"

// next returns the next word, "" at the end.
func (w *netrcWords) next() string {
	for {
		w.rest = strings.TrimLeft(w.rest, netrcBlanks)
		if !strings.HasPrefix(w.rest, "#") {
			break
		}
		_, w.rest, _ = strings.Cut(w.rest, "\n")
	}
	if strings.HasPrefix(w.rest, `"`) {
		return w.quoted()
	}
	end := strings.IndexAny(w.rest, netrcBlanks)
	if end < 0 {
		end = len(w.rest)
	}
	word := w.rest[:end]
	w.rest = w.rest[end:]
	return word
}

// quoted returns a word in quotes, in which any character may follow a \.
func (w *netrcWords) quoted() string {
	var b strings.Builder
	for i := 1; i < len(w.rest); i++ {
		switch c := w.rest[i]; {
		case c == '"':
			w.rest = w.rest[i+1:]
			return b.String()
		case c == '\\' && i+1 < len(w.rest):
			i++
			b.WriteByte(w.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	w.rest = ""
	return b.String()
}

// skipMacro leaves out a macro, which ends with an empty line.
func (w *netrcWords) skipMacro() {
	_, rest, _ := strings.Cut(strings.ReplaceAll(w.rest, "\r\n", "\n"), "\n\n")
	w.rest = rest
}
