package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// hello is a site with one small file.
func hello(t *testing.T) *fetchtest.Server {
	return fetchtest.NewSite(t, "/docs", fstest.MapFS{"index.json": {Data: []byte(`{"a":1}`)}})
}

func TestFileReadsBelowASubPath(t *testing.T) {
	site := hello(t)
	c, _ := testClient(nil)
	for _, base := range []string{site.URL, site.URL + "/", site.URL + "/index.html", site.URL + "/catalog.json"} {
		data, err := c.File(t.Context(), base, "index.json", 100)
		if err != nil || string(data) != `{"a":1}` {
			t.Errorf("%s: %q, %v", base, data, err)
		}
	}
}

func TestFileRefusesPathsThatLeaveTheSite(t *testing.T) {
	site := hello(t)
	c, _ := testClient(nil)
	for _, path := range []string{"", "../x", "a/../../x", "/etc/passwd", `a\b`, "https://evil.example/x", "a?b", "a#b", "%2e%2e/x", "a//b", "C:/x", "a\x00"} {
		_, err := c.File(t.Context(), site.URL, path, 100)
		wantError(t, err, ruleAddress)
	}
	if n := len(site.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestPassingFailuresAreTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault fetchtest.Fault
		waits []time.Duration
	}{
		{"500", fetchtest.Fault{Status: 500}, []time.Duration{500 * time.Millisecond}},
		{"502 twice", fetchtest.Fault{Status: 502, Times: 2}, []time.Duration{500 * time.Millisecond, time.Second}},
		{"503 with Retry-After", fetchtest.Fault{Status: 503, Header: map[string]string{"Retry-After": "7"}}, []time.Duration{7 * time.Second}},
		{"504", fetchtest.Fault{Status: 504}, []time.Duration{500 * time.Millisecond}},
		{"429 with a date", fetchtest.Fault{Status: 429, Header: map[string]string{"Retry-After": testNow.Add(9 * time.Second).Format(http.TimeFormat)}}, []time.Duration{9 * time.Second}},
		{"429 without", fetchtest.Fault{Status: 429}, []time.Duration{500 * time.Millisecond}},
		{"403 with no requests left", fetchtest.Fault{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(testNow.Unix()+30, 10)}}, []time.Duration{30 * time.Second}},
		{"403 of a secondary limit", fetchtest.Fault{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit."}`}, []time.Duration{time.Minute}},
		{"dropped", fetchtest.Fault{Drop: true}, []time.Duration{500 * time.Millisecond}},
		{"cut", fetchtest.Fault{Cut: 3}, []time.Duration{500 * time.Millisecond}},
		{"announced too long", fetchtest.Fault{Length: 50}, []time.Duration{500 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := hello(t)
			site.Spoil(tt.fault)
			c, w := testClient(nil)
			data, err := c.File(t.Context(), site.URL, "index.json", 100)
			if err != nil || string(data) != `{"a":1}` {
				t.Fatalf("%q, %v", data, err)
			}
			if !slices.Equal(w.list(), tt.waits) {
				t.Errorf("waits %v, want %v", w.list(), tt.waits)
			}
		})
	}
}

func TestLastingFailuresAreExplained(t *testing.T) {
	reset := map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(testNow.Unix()+1800, 10)}
	for _, tt := range []struct {
		name  string
		fault fetchtest.Fault
		rule  string
		says  string
		asked int
	}{
		{"500 for ever", fetchtest.Fault{Status: 500, Times: -1}, ruleServer, "500 Internal Server Error, after 5 tries", 5},
		{"dropped for ever", fetchtest.Fault{Drop: true, Times: -1}, ruleConnect, "closed the connection, after 5 tries", 5},
		{"cut for ever", fetchtest.Fault{Cut: 3, Times: -1}, ruleTruncated, "ended early", 5},
		{"401", fetchtest.Fault{Status: 401}, ruleToken, "401 Unauthorized", 1},
		{"403", fetchtest.Fault{Status: 403}, ruleToken, "403 Forbidden", 1},
		{"404", fetchtest.Fault{Status: 404}, RuleNotFound, "check the address", 1},
		{"410", fetchtest.Fault{Status: 410}, RuleExpired, "expired", 1},
		{"418", fetchtest.Fault{Status: 418, Body: `{"message":"short and\n\u001b[31mstout"}`}, ruleServer, `"short and [31mstout"`, 1},
		{"204", fetchtest.Fault{Status: 204}, ruleServer, "204", 1},
		{"206 that nobody asked for", fetchtest.Fault{Status: 206}, ruleServer, "206", 1},
		{"an hour of Retry-After", fetchtest.Fault{Status: 429, Header: map[string]string{"Retry-After": "3600"}}, ruleRateLimit, "wait 1h0m0s", 1},
		{"a far reset", fetchtest.Fault{Status: 403, Header: reset}, ruleRateLimit, "wait 30m0s", 1},
		{"a Retry-After of years", fetchtest.Fault{Status: 503, Header: map[string]string{"Retry-After": "4294967295"}}, ruleServer, "503", 1},
		{"too large", fetchtest.Fault{Length: 1 << 40}, RuleTooLarge, "larger than 100 bytes", 1},
		{"encoded", fetchtest.Fault{Header: map[string]string{"Content-Encoding": "gzip"}}, ruleContent, "encoded", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := hello(t)
			site.Spoil(tt.fault)
			c, _ := testClient(nil)
			_, err := c.File(t.Context(), site.URL, "index.json", 100)
			wantError(t, err, tt.rule, tt.says, "read index.json: "+site.URL+"/index.json")
			if n := len(site.Requests()); n != tt.asked {
				t.Errorf("%d requests, want %d", n, tt.asked)
			}
		})
	}
}

func TestRealBytesAreCounted(t *testing.T) {
	site := fetchtest.NewSite(t, "", fstest.MapFS{"big.json": {Data: archiveOf(101)}})
	site.Spoil(fetchtest.Fault{Chunked: true})
	c, _ := testClient(nil)
	_, err := c.File(t.Context(), site.URL, "big.json", 100)
	wantError(t, err, RuleTooLarge)
}

func TestSlowServersAreLeft(t *testing.T) {
	site := hello(t)
	site.Spoil(fetchtest.Fault{Stall: 1, Times: -1})
	c, w := testClient(nil, func(o *Options) { o.Timeouts.Idle = 20 * time.Millisecond; o.Retries = 1 })
	_, err := c.File(t.Context(), site.URL, "index.json", 100)
	wantError(t, err, ruleTimeout, "too slow", "1 KiB in 20ms", "after 2 tries")
	if len(w.list()) != 1 {
		t.Errorf("waits %v", w.list())
	}
}

// A byte now and then does not keep a connection alive.
func TestDrippingServersAreLeft(t *testing.T) {
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write([]byte("x")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(2 * time.Millisecond):
			case <-r.Context().Done():
				return
			case <-stop:
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(stop) })
	c, _ := testClient(nil, func(o *Options) { o.Timeouts.Idle = 30 * time.Millisecond; o.Retries = -1 })
	_, err := c.File(t.Context(), s.URL, "index.json", 1<<20)
	wantError(t, err, ruleTimeout, "too slow")
}

func TestServersThatDoNotAnswerAreLeft(t *testing.T) {
	listener := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	for name, change := range map[string]func(*Options){
		"our transport": func(o *Options) {
			o.Timeouts = Timeouts{Header: 20 * time.Millisecond}
			o.Retries = -1
		},
		"another transport": func(o *Options) {
			o.HTTP = &http.Client{Transport: &http.Transport{}}
			o.Timeouts = Timeouts{Connect: 10 * time.Millisecond, TLS: 5 * time.Millisecond, Header: 5 * time.Millisecond}
			o.Retries = -1
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := testClient(nil, change)
			_, err := c.File(t.Context(), "http://"+listener.Addr().String(), "index.json", 100)
			wantError(t, err, ruleTimeout, "answer")
		})
	}
}

func TestAllOfItHasATimeToo(t *testing.T) {
	site := hello(t)
	site.Spoil(fetchtest.Fault{Status: 500, Times: -1})
	c, _ := testClient(nil, func(o *Options) {
		o.Timeouts.Total = time.Nanosecond
	})
	_, err := c.File(t.Context(), site.URL, "index.json", 100)
	wantError(t, err, ruleTimeout, "not done within 1ns")
}

func TestSleepEndsWithTheContext(t *testing.T) {
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRefusedConnectionsAreExplained(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c, w := testClient(nil)
	_, err := c.File(t.Context(), s.URL, "index.json", 100)
	wantError(t, err, ruleConnect, "connection refused", "is the server running?")
	if len(w.list()) != 0 {
		t.Errorf("waits %v", w.list())
	}
}

func TestInterruptedRequestsSayThat(t *testing.T) {
	site := hello(t)
	site.Spoil(fetchtest.Fault{Status: 500, Times: -1})
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := testClient(nil, func(o *Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	_, err := c.File(ctx, site.URL, "index.json", 100)
	wantError(t, err, ruleInterrupted, "interrupted")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not context.Canceled", err)
	}
	_, err = c.File(ctx, site.URL, "index.json", 100)
	wantError(t, err, ruleInterrupted)
}

func TestOfflineAsksNobody(t *testing.T) {
	site := hello(t)
	c, _ := testClient(nil, func(o *Options) { o.Offline = true })
	_, err := c.File(t.Context(), site.URL, "index.json", 100)
	wantError(t, err, ruleOffline, "--offline")
	if len(site.Requests()) != 0 {
		t.Error("the server was asked")
	}
}

func TestRedirectsAreFollowedToALimit(t *testing.T) {
	for _, hops := range []int{1, maxRedirects, maxRedirects + 1} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			if n == hops {
				fmt.Fprint(w, "there")
				return
			}
			http.Redirect(w, r, "/x?n="+strconv.Itoa(n+1), http.StatusFound)
		}))
		c, _ := testClient(nil)
		data, err := c.File(t.Context(), s.URL, "x", 100)
		s.Close()
		if hops <= maxRedirects {
			if err != nil || string(data) != "there" {
				t.Errorf("%d redirects: %q, %v", hops, data, err)
			}
			continue
		}
		wantError(t, err, ruleRedirect, "more than 10 redirects")
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	for _, tt := range []struct{ name, to, says string }{
		{"a circle", "/docs/index.json", "circle"},
		{"another scheme", "file:///etc/passwd", `scheme "file"`},
		{"ftp", "ftp://example.com/x", `scheme "ftp"`},
		{"plain http", "http://example.com/x", "never followed|plain http"},
		{"a user", "https://u:secret@example.com/x", "user or password"},
		{"no address", "http://[::1", "not an address"},
		{"no host", "https:///x", "no host"},
		{"a script", "javascript:alert(1)", `scheme "javascript"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := hello(t)
			site.Spoil(fetchtest.Fault{Redirect: tt.to, Times: -1})
			c, _ := testClient(nil)
			_, err := c.File(t.Context(), site.URL, "index.json", 100)
			e := wantError(t, err, ruleRedirect)
			if !slices.ContainsFunc(strings.Split(tt.says, "|"), func(s string) bool { return strings.Contains(e.Error(), s) }) {
				t.Errorf("error does not say %q: %v", tt.says, err)
			}
			if strings.Contains(e.Error(), "secret") {
				t.Errorf("error holds a secret: %v", e)
			}
			if n := len(site.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestCircleOverTwoHostsIsFound(t *testing.T) {
	a, b := hello(t), hello(t)
	a.Spoil(fetchtest.Fault{Redirect: b.URL + "/index.json", Times: -1})
	b.Spoil(fetchtest.Fault{Redirect: a.URL + "/index.json", Times: -1})
	c, _ := testClient(nil)
	_, err := c.File(t.Context(), a.URL, "index.json", 100)
	wantError(t, err, ruleRedirect, "circle")
}

func TestCertificatesAreCheckedAndExplained(t *testing.T) {
	good := fetchtest.NewTLSServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	plainHTTP := hello(t)
	trusting := func(o *Options) { o.HTTP = good.HTTP.Client() }

	t.Run("trusted", func(t *testing.T) {
		c, _ := testClient(nil, trusting)
		if data, err := c.File(t.Context(), good.URL, "x", 10); err != nil || string(data) != "ok" {
			t.Errorf("%q, %v", data, err)
		}
	})
	t.Run("unknown authority", func(t *testing.T) {
		c, w := testClient(nil)
		_, err := c.File(t.Context(), good.URL, "x", 10)
		wantError(t, err, ruleTLS, "no known authority has signed", "SSL_CERT_FILE")
		if len(w.list()) != 0 {
			t.Error("it was tried again")
		}
	})
	t.Run("another host", func(t *testing.T) {
		c, _ := testClient(nil, trusting)
		_, port, _ := net.SplitHostPort(good.HTTP.Listener.Addr().String())
		_, err := c.File(t.Context(), "https://localhost:"+port, "x", 10)
		wantError(t, err, ruleTLS, "for another host than localhost")
	})
	t.Run("no TLS", func(t *testing.T) {
		c, _ := testClient(nil)
		_, err := c.File(t.Context(), strings.Replace(plainHTTP.URL, "http:", "https:", 1), "x", 10)
		wantError(t, err, ruleTLS, "does not use TLS")
	})
	t.Run("redirect to http on this machine", func(t *testing.T) {
		good.Spoil(fetchtest.Fault{Redirect: plainHTTP.URL + "/index.json"})
		c, _ := testClient(nil, trusting)
		if _, err := c.File(t.Context(), good.URL, "x", 10); err != nil {
			t.Error(err)
		}
	})
}

func TestErrorsNeverHoldTokensOrSignatures(t *testing.T) {
	site := hello(t)
	site.Spoil(fetchtest.Fault{Status: 400, Body: `{"message":"bad token sekret-token-1 given"}`})
	c, _ := testClient(env("GITHUB_TOKEN", "sekret-token-1"))
	_, err := c.File(t.Context(), site.URL, "index.json", 100)
	wantError(t, err, ruleServer, "bad token *** given")

	r := oktest.Value(c.URL(t.Context(), site.URL+"/x.zip?sig=sekret-token-1"))(t)
	_, _, err = c.testDownload(t, r)
	wantError(t, err, RuleNotFound)
	if strings.Contains(fmt.Sprintf("%v", err), "sekret") {
		t.Errorf("error holds the signature: %v", err)
	}
	if got := c.scrub(`proxy "http://user:pw@proxy:3128": sekret-token-1`); got != `proxy "http://proxy:3128": ***` {
		t.Errorf("scrub: %s", got)
	}
}

func TestRetryAfterIsReadStrictly(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 5 ": 5 * time.Second, "-5": 0, "5.5": 0, "x": 0, "99999999999": 0,
		"Sun, 01 Mar 2026 12:00:10 GMT": 10 * time.Second, "Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(value, testNow); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}

func TestLinkHeaderGivesTheNextPage(t *testing.T) {
	at, _ := url.Parse("https://api.example.com/repos/o/r?page=1")
	for _, tt := range []struct{ name, header, want string }{
		{"none", "", ""},
		{"github", `<https://api.example.com/r?page=2>; rel="next", <https://api.example.com/r?page=9>; rel="last"`, "https://api.example.com/r?page=2"},
		{"second entry", `<https://a/1>; rel="prev", <https://a/3>; rel="next"`, "https://a/3"},
		{"unquoted", `<https://a/2>; rel=next`, "https://a/2"},
		{"several relations", `<https://a/2>; rel="last next"`, "https://a/2"},
		{"upper case", `<https://a/2>; REL="NEXT"`, "https://a/2"},
		{"other parameters", `<https://a/2>; title="a, \"b\"; rel=prev"; rel="next"; x`, "https://a/2"},
		{"first rel counts", `<https://a/2>; rel="prev"; rel="next"`, ""},
		{"relative", `</r?page=2>; rel="next"`, "https://api.example.com/r?page=2"},
		{"comma in target", `<https://a/1,2>; rel="next"`, "https://a/1,2"},
		{"not closed", `<https://a/2; rel="next"`, ""},
		{"no brackets", `https://a/2; rel="next"`, ""},
		{"only last", `<https://a/2>; rel="last"`, ""},
		{"not an address", "<https://a/%zz>; rel=\"next\"", ""},
		{"fragment dropped", `<https://a/2#x>; rel="next"`, "https://a/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if next := nextPage(http.Header{"Link": {tt.header}}, at); next != nil {
				got = next.String()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever a header holds: each link is in it, in order, and reading what
// was found gives the same again.
func FuzzParseLinks(f *testing.F) {
	for _, s := range []string{`<a>; rel="next"`, `<a>; rel="x y", <b>; rel=z`, `<>;;;rel="\"`, `<a>; a=b; rel=c, ,<d>`, `<a`, `;`, `<a>;=,<b>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		links := parseLinks(value)
		rest := value
		written := []string{}
		previous := ""
		for _, l := range links {
			if !strings.Contains(value, "<"+l.target+">") {
				t.Fatalf("%q is not a target of %q", l.target, value)
			}
			if i := strings.Index(rest, "<"+l.target+">"); i < 0 && l.target != previous {
				t.Fatalf("%q is out of order in %q", l.target, value)
			} else if i >= 0 && l.target != previous {
				rest = rest[i+1:]
			}
			previous = l.target
			quoted := strings.ReplaceAll(strings.ReplaceAll(l.rel, `\`, `\\`), `"`, `\"`)
			written = append(written, "<"+l.target+`>; rel="`+quoted+`"`)
		}
		if again := parseLinks(strings.Join(written, ", ")); !slices.Equal(links, again) {
			t.Fatalf("%q: %v written and read is %v", value, links, again)
		}
	})
}
