package templates

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// views has one of each kind, with nothing in it.
var views = []View{Catalog{}, Pack{}, Document{}, Listing{}, Claims{}, History{}, Match{}, NotFound{}, Role{}, Report{}, Graph{}, Source{}, Print{}, Diff{}}

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
		Document{Heading: bad, Kind: bad, Contents: []Heading{{ID: bad, Text: bad}}, Back: []Backlink{{Link: Link{URL: bad, Text: bad}, Said: bad}}},
		Claims{Rows: []ClaimRow{{ID: bad, Text: bad, Status: bad, Source: Link{Text: bad}}}},
		Match{Examples: []string{bad}},
		Diff{Before: bad, After: bad, Tasks: []DiffTask{{Task: bad, Gained: []string{bad}, Lost: []string{bad}, Moved: []string{bad}}}, Changed: []DiffEntry{{ID: bad, Text: bad}}},
		Report{Events: 1, From: bad, Misses: 1, Loads: []LoadRow{{ID: bad, Last: bad}}, Dead: []DeadRow{{ID: bad}}, Overlaps: []OverlapRow{{Keyword: bad, Entries: []string{bad}}}, Words: []WordRow{{Word: bad, Entry: bad}}},
	} {
		var out bytes.Buffer
		oktest.Check(t, Render(&out, v))
		if strings.Contains(out.String(), "<script>") {
			t.Errorf("%s lets markup through: %s", v.page(), out.String())
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
