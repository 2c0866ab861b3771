package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

func TestAddressesThatAreFetched(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		allowHTTP      bool
		want           bool
	}{
		{"https", "", "https://example.com/x", false, true},
		{"http", "", "http://example.com/x", false, false},
		{"http when allowed", "", "http://example.com/x", true, true},
		{"http on this machine", "", "http://127.0.0.1:8080/x", false, true},
		{"http on this machine by name", "", "http://localhost/x", false, true},
		{"http on this machine, IPv6", "", "http://[::1]:80/x", false, true},
		{"http to a name that looks like this machine", "", "http://127.0.0.1.example.com/x", false, false},
		{"http to a name below localhost", "", "http://x.localhost/", false, false},
		{"http to a name that looks like localhost", "", "http://localhost.example.com/x", false, false},
		{"file", "", "file:///etc/passwd", true, false},
		{"ftp", "", "ftp://example.com/x", true, false},
		{"no host", "", "https:///x", false, false},
		{"opaque", "", "https:x", false, false},
		{"user", "", "https://user:pass@example.com/x", false, false},

		{"redirect to https", "https://a.example/", "https://b.example/", false, true},
		{"redirect from https to http", "https://a.example/", "http://a.example/", false, false},
		{"redirect from https to http though http is allowed", "https://a.example/", "http://a.example/", true, false},
		{"redirect from http to http when allowed", "http://a.example/", "http://b.example/", true, true},
		{"redirect from http to https", "http://a.example/", "https://b.example/", false, true},
		{"redirect to this machine", "https://a.example/", "https://127.0.0.1/", false, false},
		{"redirect to this machine over http", "https://a.example/", "http://localhost/", true, false},
		{"redirect on this machine", "http://127.0.0.1:1/", "http://127.0.0.1:2/", false, true},
		{"redirect to a file", "https://a.example/", "file:///etc/passwd", false, false},
		{"redirect to a user", "https://a.example/", "https://u@b.example/", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allow := ""
			if tt.allowHTTP {
				allow = "1"
			}
			c, _ := testClient(env(allowHTTP, allow))
			to, err := url.Parse(tt.to)
			oktest.Check(t, err)
			var from *url.URL
			if tt.from != "" {
				from, _ = url.Parse(tt.from)
			}
			err = c.allowed("test", to, from)
			if (err == nil) != tt.want {
				t.Fatalf("allowed: %v, want %v", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "pass") && !strings.Contains(err.Error(), "passw")) {
				t.Errorf("the error holds the password: %v", err)
			}
		})
	}
}

func TestRedactedAddressesHoldNoSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:secret@example.com/a?sig=secret#secret": "https://example.com/a",
		"https://example.com/a%2Fb":                           "https://example.com/a%2Fb",
		"https://user:sec%zzret@example.com/a?secret":         "https://example.com/a",
		"https://example.com/\x1b[31mred?x":                   "https://example.com/[31mred",
		"secret:pw@host":                                      "secret:host",
		"https://user:sec/ret@example.com":                    "https://example.com",
		"https://user:sec?ret@example.com/a":                  "https://example.com/a",
		"":                                                    "",
	} {
		got := Redact(in)
		if got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"https://u:p@h/p?q#f", "//u@h", "a@b", "https://u:p%zz@h/?x", "x:u:p@h//a@b", "http://[::1%25a]/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Redact(s)
		if len(got) > maxURL+len("…") || strings.ContainsAny(got, "\n\r\x1b\x00") {
			t.Fatalf("Redact(%q) = %q", s, got)
		}
		if u, err := url.Parse(got); err == nil && (u.User != nil || u.RawQuery != "") {
			t.Fatalf("Redact(%q) = %q still holds user or query", s, got)
		}
	})
}

func TestOriginIsSchemeHostAndPort(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"https://h/a", "https://h/b?c", true},
		{"https://h", "https://h:443", true},
		{"https://H", "https://h", true},
		{"https://h", "http://h", false},
		{"https://h", "https://h:8443", false},
		{"https://h", "https://x.h", false},
		{"https://h", "https://h.", false},
		{"http://127.0.0.1:1", "http://127.0.0.1:2", false},
	} {
		a, _ := url.Parse(tt.a)
		b, _ := url.Parse(tt.b)
		if (origin(a) == origin(b)) != tt.same {
			t.Errorf("origin of %s and %s: %s, %s", tt.a, tt.b, origin(a), origin(b))
		}
	}
}

func TestPlainTextHasNoControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"a\n b\t\tc":         "a b c",
		"\x1b[31mred\x1b[0m": "[31mred[0m",
		"a\u202eb\u200bc":    "abc",
		"\xff\xfea":          "a",
		"日本語":                "日本語",
		"  a  ":              "a",
		"0123456789":         "0123456789",
		"0123456789a":        "0123456789…",
		"012345678 a":        "012345678…",
	} {
		if got := plain(in, 10); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPathSegmentsAreEscapedWhole(t *testing.T) {
	base, _ := url.Parse("https://h/api/v4/")
	for _, tt := range []struct {
		segments []string
		want     string
	}{
		{[]string{"projects", "group/sub/p", "jobs"}, "https://h/api/v4/projects/group%2Fsub%2Fp/jobs"},
		{[]string{"a b", "c?d#e%"}, "https://h/api/v4/a%20b/c%3Fd%23e%25"},
	} {
		if got := below(base, tt.segments...).String(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.segments, got, tt.want)
		}
	}
}

// What only this machine can reach is not for servers elsewhere to ask.
func TestNoServerElsewhereLeadsToWhatOnlyThisMachineReaches(t *testing.T) {
	c := New(Options{Getenv: func(string) string { return "" }})
	from := mustURL(t, "https://registry.example/v2/x")
	for _, to := range []string{
		"https://169.254.169.254/latest", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[::ffff:169.254.169.254]/", "https://metadata.google.internal/", "https://metadata.google.internal./",
		"https://100.100.100.200/", "https://[fd00:ec2::254]/", "https://168.63.129.16/", "https://127.0.0.1/", "https://localhost/", "https://x.localhost/", "https://0.0.0.0/", "https://[::]/", "https://224.0.0.1/",
	} {
		wantError(t, c.allowed("read", mustURL(t, to), from), ruleRedirect)
		if err := c.allowed("read", mustURL(t, to), mustURL(t, "https://127.0.0.1:5000/")); err != nil {
			t.Errorf("%s: this machine may lead there: %v", to, err)
		}
	}
	for _, to := range []string{"https://10.0.0.1/", "https://blobs.example/", "https://93.184.215.14/"} {
		if err := c.allowed("read", mustURL(t, to), from); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// A name that a server elsewhere gave is looked up: what it leads to counts.
func TestANameOfAServerElsewhereDoesNotLeadHere(t *testing.T) {
	server := fetchtest.NewServer(t, http.NotFoundHandler())
	u := mustURL(t, server.URL)
	dial := dialer(Options{}.withDefaults().Timeouts)
	_, err := dial(fromStranger(t.Context(), u), "tcp", u.Host)
	if !errors.Is(err, errOwn) {
		t.Errorf("%v", err)
	}
	for _, ctx := range []context.Context{t.Context(), fromStranger(t.Context(), mustURL(t, "https://other.example"))} { // the other is behind a proxy of this machine
		conn := oktest.Value(dial(ctx, "tcp", u.Host))(t)
		conn.Close()
	}
}

func mustURL(t *testing.T, address string) *url.URL {
	t.Helper()
	return oktest.Value(url.Parse(address))(t)
}
