package login

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
)

// Login is what a server asks for:  name and password, or by a token.
type Login struct {
	User, Password string // together, or both empty
	Token          string // sent as it is; "" with a password
	Renewal        string // what Docker calls an identity token: a registry gives a token for it
	From           string // where it was found, for messages
}

// Header is the value of the header Authorization.
func (l *Login) Header() string {
	if l.Token != "" {
		return "Bearer " + l.Token
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password))
}

// Secrets are the texts that must not be printed, as they are and as they are sent.
func (l *Login) Secrets() []string {
	var list []string
	for _, s := range []string{l.Password, l.Token, l.Renewal} {
		if s != "" {
			list = append(list, s)
		}
	}
	if l.Password != "" {
		list = append(list, base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password)))
	}
	return list
}

// helperWait is how long a credential helper may take.
const helperWait = 20 * time.Second

// Finder looks for logins.
type Finder struct {
	Getenv func(string) string // the environment
	Wait   time.Duration       // for a credential helper; 0 means helperWait
}

// Site returns the login for a site, nil when there is none: from the variable of
// the host, otherwise from .netrc. host may have a port.
func (f Finder) Site(host string) (*Login, error) {
	if l, err := f.variable(host); l != nil || err != nil {
		return l, err
	}
	return f.netrc(host)
}

// Registry returns the login for a registry, nil when there is none: from the
// variable of the host, otherwise from the configurations of Docker and podman and the
// helpers that they name, otherwise from .netrc. host may have a port. A configuration or
// a helper that cannot be used hides none that comes after it; its error comes with no
// login.
func (f Finder) Registry(ctx context.Context, host string) (*Login, error) {
	if l, err := f.variable(host); l != nil || err != nil {
		return l, err
	}
	var faults error
	for _, name := range f.configs() {
		l, err := f.configured(ctx, name, host)
		if l != nil {
			return l, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		faults = errors.Join(faults, err)
	}
	l, err := f.netrc(host)
	if l != nil {
		return l, nil
	}
	return nil, errors.Join(faults, err)
}

// Variable is the name of the variable for a host: PACKGEN_TOKEN_ and the host in
// capitals, each dot and the colon before a port as _, each hyphen as __. Two hosts
// never share one. It is "" for a host that has none, such as an IPv6 address.
func Variable(host string) string {
	name, port, _ := strings.Cut(strings.ToLower(host), ":")
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return ""
		}
	}
	if strings.Trim(port, "0123456789") != "" {
		return ""
	}
	if port != "" {
		name += "." + port
	}
	return "PACKGEN_TOKEN_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "__").Replace(name))
}

// variable reads the variable of a host with its port, otherwise that of the host.
func (f Finder) variable(host string) (*Login, error) {
	bare, _, _ := strings.Cut(host, ":")
	for _, name := range []string{Variable(host), Variable(bare)} {
		if name == "" {
			continue
		}
		value := strings.TrimSpace(f.Getenv(name))
		if value == "" {
			continue
		}
		l := &Login{From: name}
		var pair bool
		if l.User, l.Password, pair = strings.Cut(value, ":"); !pair {
			l.User, l.Token = "", value
		}
		return l, l.check()
	}
	return nil, nil
}

// check refuses what a server could read as something else.
func (l *Login) check() error {
	lowest := ' ' // a password may have blanks
	if l.Token != "" {
		lowest = '!'
	}
	odd := func(r rune) bool { return r < lowest || r == 0x7f || l.Token != "" && r > '~' }
	if strings.ContainsFunc(l.User+l.Password+l.Token, odd) {
		return fmt.Errorf("%s holds characters that no token has: set it again, without quotes and line breaks", l.From)
	}
	if l.Token == "" && l.Renewal == "" && (l.User == "" || l.Password == "") {
		return fmt.Errorf("%s has a name without a password, or a password without a name: write NAME:PASSWORD, or a token", l.From)
	}
	return nil
}

// home is the user's directory, "" when the environment does not say.
func (f Finder) home() string { return cmp.Or(f.Getenv("HOME"), f.Getenv("USERPROFILE")) }

// errHelper says that a helper was given up.
var errHelper = errors.New("the credential helper did not answer in time")

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
