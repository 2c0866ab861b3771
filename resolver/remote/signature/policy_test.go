package signature

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

func TestAPatternFitsAPlaceHoweverBothAreWritten(t *testing.T) {
	for _, tt := range []struct {
		pattern, place string
		fits           bool
	}{
		{"https://h.example/packs/**", "https://h.example/packs/", true},
		{"https://h.example/packs/**", "https://h.example/packs/a/b.tar.gz", true},
		{"https://h.example/packs/**", "https://h.example/packs2/", false},
		{"https://h.example/packs/", "https://h.example/packs", true},
		{"https://h.example/packs/index.html", "https://h.example/packs/", true},
		{"https://h.example/packs/*", "https://h.example/packs/a", true},
		{"https://h.example/packs/*", "https://h.example/packs/a/b", false},
		{"https://h.example/**", "https://h.example/", true},
		{"https://h.example/**", "https://h.example/a/b", true},
		{"https://h.example", "https://h.example/", true},
		{"https://h.example", "https://h.example/a", false},
		{"https://**", "https://h.example/a", true},
		{"https://*/**", "https://h.example", true},
		{"HTTPS://H.Example.:443/%70acks/../packs/**", "https://h.example/packs", true},
		{"http://h.example/open/**", "HTTP://H.Example/open/", true},
		{"http://h.example/open/**", "http://h.example/OPEN/", false},
		{"http://h.example/open/**", "http://h.example/%4fPEN/a", false},
		{"oci://h.example/acme/**", "oci://h.example/Acme/kettle", false},
		{"gha://acme/packs/kettle", "gha://Acme/Packs/kettle", true},
		{"gitlab://g/p/job", "gitlab://G/p/job", true},
		{"gitlab://g/p/job", "gitlab://g/p/Job", false},
		{"dir:open/**", "dir:OPEN/a", false},
		{"https://h.example:08867/**", "https://h.example:8867/a", true},
		{"https://h.example:8867/**", "https://h.example:08867/a", true},
		{"http://h.example:80/**", "http://h.example/a", true},
		{"http://h.example:443/**", "http://h.example/a", false},
		{"http://h.example/**", "https://h.example/a", false},
		{"http://127.0.0.1:8867/**", "http://[::ffff:127.0.0.1]:8867/a", true},
		{"http://[::ffff:7f00:1]/**", "http://127.0.0.1/a", true},
		{"https://[2001:db8::1]/**", "https://[2001:0DB8:0:0::1]:443/a", true},
		{"https://bücher.example/**", "https://xn--bcher-kva.example/a", true},
		{"https://*.bücher.example/**", "https://a.B%C3%9CCHER.example/a", true},
		{"https://**.corp.example/**", "https://a.b.corp.example/x", true},
		{"https://**.corp.example/**", "https://evil.example/x.corp.example/y", false},
		{"https://*.corp.example/**", "https://evil.example/.corp.example/y", false},
		{"oci://GHCR.io:443/acme/**", "oci://ghcr.io/acme/kettle", true},
		{"oci://docker.io/acme/**", "oci://registry-1.docker.io/acme/kettle", true},
		{"gha://acme/**", "gha://Acme/packs/kettle", true},
		{"gitlab://g/s/**", "gitlab://g/s/p/job", true},
		{"dir:**", "dir:../x", true}, {"dir:**", "x.tar.gz", false},
		{"dir:./vendor/", "dir:vendor", true}, {"dir:vendor/**", "dir:vendor/../other", false},
		{"vendor/**", "dir:vendor/a", true}, {"vendor/**", "vendor/a.tar.gz", true},
		{"**", "https://h.example/a", true}, {"**", "../x.zip", true},
		{"h.example/**", "https://h.example/a", false},
	} {
		p := &Policy{Rules: []Rule{{Ref: tt.pattern}}}
		if rule, known := p.For(tt.place); known != tt.fits || (rule != nil) != tt.fits {
			t.Errorf("%s for %s: fits is %v, want %v (%s, %s)", tt.pattern, tt.place, known, tt.fits, Place(tt.pattern), Place(tt.place))
		}
	}
	var none *Policy
	if rule, known := none.For("https://h.example"); rule != nil || !known {
		t.Errorf("without a policy: %v, %v", rule, known)
	}
	exception := &Policy{Rules: []Rule{{Ref: "dir:**", Unsigned: true}, {Ref: "**"}}}
	if rule, known := exception.For("dir:a"); rule != nil || !known {
		t.Errorf("an exception: %v, %v", rule, known)
	}
}

// A form that is written twice is the form that is written once.
func TestThePlaceOfAPlaceIsItself(t *testing.T) {
	for _, text := range []string{
		"https://H.example.:0443//a/./b/", "http://[::FFFF:1.2.3.4]:80", "oci://index.docker.io/a", "dir:./a//b/", "./a.zip", "gha://A/B/c%20d", "**", "dir:**", "https://**",
	} {
		if once := Place(text); Place(once) != once {
			t.Errorf("%s is %s, and that is %s", text, once, Place(once))
		}
	}
}

func TestAPatternThatFitsNothingIsAFault(t *testing.T) {
	for pattern, want := range map[string]string{
		"htps://h.example/**":        `unknown scheme "htps"`,
		"https:/h.example/**":        "// is missing",
		"gha:acme/**":                "// is missing",
		"https://h.example/#kettle":  "names a pack",
		"https://u:p@h.example/**":   "name or password",
		"https://h.example/a.zip?x=": "parameters",
		"oci://ghcr.io/acme/a:1.2":   "a tag or a digest",
		"oci://ghcr.io/a@sha256:00":  "a tag or a digest",
		"https:///packs":             "no host",
		"*://h.example/**":           "unknown scheme",
	} {
		if err := CheckPattern(pattern); err == nil || !strings.Contains(err.Error(), want) || diag.HintOf(err) == "" {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"**", "dir:**", "dir:a:b", "./a:b", "vendor/**", "https://h.example:8443/**", "oci://h.example:5000/a/**", "https://[::1]:80/**", "gitlab://g/s/p/*"} {
		if err := CheckPattern(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
