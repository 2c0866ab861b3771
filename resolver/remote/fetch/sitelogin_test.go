package fetch

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// The login of a site goes to that host alone, and not along with a redirect.
func TestTheLoginOfASiteStaysWithItsHost(t *testing.T) {
	site := fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s1te-token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("{}"))
	}))
	other := hello(t)
	host := strings.TrimPrefix(site.URL, "http://")
	variable := "PACKGEN_TOKEN_" + strings.NewReplacer(".", "_", ":", "_").Replace(host)
	c := New(Options{Retries: -1, Getenv: func(name string) string { return map[string]string{variable: "s1te-token"}[name] }})
	if data, err := c.File(t.Context(), site.URL, "index.json", 100); err != nil || string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
	site.Spoil(fetchtest.Fault{Redirect: other.URL + "/index.json"})
	if _, err := c.File(t.Context(), site.URL, "index.json", 100); err != nil {
		t.Error(err)
	}
	if _, err := c.File(t.Context(), other.URL, "index.json", 100); err != nil {
		t.Error(err)
	}
	for _, q := range other.Requests() {
		if q.Header.Get("Authorization") != "" {
			t.Error("the login went to another server")
		}
	}
	if n := len(other.Requests()); n != 2 {
		t.Errorf("the other server was asked %d times", n)
	}
	_, err := New(Options{Retries: -1, Getenv: func(string) string { return "" }}).File(t.Context(), site.URL, "index.json", 100)
	if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Hint, variable) {
		t.Errorf("without a login: %v", err)
	}
}
