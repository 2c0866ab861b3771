package login

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
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
