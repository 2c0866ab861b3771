package fetchtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// firstTime is when the stand-ins' history begins.
var firstTime = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// digest is the SHA-256 of an artifact as the API writes it.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// serveBytes answers with data, a strong entity tag, and Range.
func serveBytes(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	w.Header().Set("ETag", strconv.Quote(strings.TrimPrefix(digest(data), "sha256:")[:16]))
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// page cuts one page out of n entries and sets the Link header as both APIs do.
// base is the server's address, largest the most entries of a page.
func page(w http.ResponseWriter, r *http.Request, base string, n, largest int) (from, to int) {
	query := r.URL.Query()
	size := max(1, min(number(query, "per_page", 30), largest))
	at := max(1, number(query, "page", 1))
	last := max(1, (n+size-1)/size)
	var links []string
	link := func(page int, rel string) {
		next := url.Values{}
		maps.Copy(next, query)
		next.Set("page", strconv.Itoa(page))
		links = append(links, fmt.Sprintf("<%s%s?%s>; rel=%q", base, r.URL.EscapedPath(), next.Encode(), rel))
	}
	if at > 1 {
		link(at-1, "prev")
	}
	if at < last {
		link(at+1, "next")
		link(last, "last")
	}
	if links != nil {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	return min(n, (at-1)*size), min(n, at*size)
}

func number(query url.Values, key string, standard int) int {
	n, err := strconv.Atoi(query.Get(key))
	if err != nil {
		return standard
	}
	return n
}
