package templates

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// views has one of each kind, with nothing in it.
var views = []View{Catalog{}, Pack{}, Document{}, Listing{}, Claims{}, History{}, Match{}, NotFound{}, Role{}, Report{}}

func TestEveryPageRendersEmpty(t *testing.T) {
	for _, v := range views {
		var out bytes.Buffer
		if err := Render(&out, v); err != nil {
			t.Errorf("%s: %v", v.page(), err)
			continue
		}
		text := out.String()
		if !strings.HasPrefix(text, "<!doctype html>\n<html lang=") {
			t.Errorf("%s starts with %.60q", v.page(), text)
		}
		if strings.Contains(text, "<no value>") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s has a hole: %s", v.page(), text)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	const bad = `<script>"'&`
	for _, v := range []View{
		Catalog{Frame: Frame{Site: bad, Title: bad, Description: bad}, Intro: bad, Packs: []Card{{Name: bad, Description: bad, Type: bad, URL: bad}}},
		Pack{Name: bad, Description: bad, Facts: []Fact{{Name: bad, Value: bad}}, Notices: []Notice{{Title: bad, Text: bad}}},
		Document{Heading: bad, Kind: bad, Contents: []Heading{{ID: bad, Text: bad}}, Back: []Link{{URL: bad, Text: bad}}},
		Claims{Rows: []ClaimRow{{ID: bad, Text: bad, Status: bad, Source: Link{Text: bad}}}},
		Match{Examples: []string{bad}},
		Report{Events: 1, From: bad, Misses: 1, Loads: []LoadRow{{ID: bad, Last: bad}}, Dead: []DeadRow{{ID: bad}}, Overlaps: []OverlapRow{{Keyword: bad, Entries: []string{bad}}}, Words: []WordRow{{Word: bad, Entry: bad}}},
	} {
		var out bytes.Buffer
		if err := Render(&out, v); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "<script>") {
			t.Errorf("%s lets markup through: %s", v.page(), out.String())
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 4249: "4.2 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 1_300_000: "1.3 MB", 5_000_000_000_000: "5000.0 GB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestLabel(t *testing.T) {
	for want, got := range map[string]string{
		"1 split": label(1, "split"), "0 splits": label(0, "split"), "2 entries": label(2, "entry"), "1,200 pages": label(1200, "page"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	if err := Render(brokenWriter{}, NotFound{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v, want the writer's error", err)
	}
}
