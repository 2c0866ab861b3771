package diag

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/amount"
)

// MaxResults is how many results one SARIF run holds; GitHub reads no more than
// 25,000 and shows 5,000.
const MaxResults = 5000

// The parts of a SARIF 2.1.0 log that packgen writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Rule    sarifReference `json:"associatedRule"`
		Level   string         `json:"level"`
		Message sarifText      `json:"message"`
	}
	sarifReference struct {
		ID    string `json:"id"`
		Index int    `json:"index"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string        `json:"id"`
		Short   *sarifText    `json:"shortDescription,omitempty"`
		Full    *sarifText    `json:"fullDescription,omitempty"`
		Help    *sarifText    `json:"help,omitempty"`
		Default *sarifDefault `json:"defaultConfiguration,omitempty"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// fingerprintKey names our fingerprint, and the version of how it is made.
const fingerprintKey = "packgenFinding/v1"

// SARIF writes diagnostics as a SARIF 2.1.0 log with one run: worst first, at
// most MaxResults, of which each rule has its share; a notification says what of a
// rule was left out. Version is packgen's own. A fingerprint is the hash of rule
// id, path and the text of the line, blanks collapsed, so it stays the same when
// lines are added above; equal ones in one file are numbered in their order.
func SARIF(w io.Writer, version string, list []Diagnostic, o FormatOptions) error {
	limit := o.Limit
	if limit <= 0 {
		limit = MaxResults
	}
	prints := fingerprints(list, o)
	rules := sarifRules(list, o)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "packgen", Version: version, Rules: rules}
	place := func(id string) int {
		at, _ := slices.BinarySearchFunc(rules, id, func(r sarifRule, id string) int { return strings.Compare(r.ID, id) })
		return at
	}
	order, kinds := choose(list, 0, limit)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Severity, list[a].Severity) })
	run.Invocations = sarifLeftOut(kinds, place, o)
	for _, i := range order {
		d := list[i]
		run.Results = append(run.Results, sarifResult{
			RuleID: d.ID, RuleIndex: place(d.ID), Level: sarifLevel(d.Severity), Message: sarifText{sarifMessage(d)},
			Locations: sarifLocations(d, o), Fingerprints: map[string]string{fingerprintKey: prints[i]},
		})
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	if _, err := w.Write(EscapeJSON(text.Bytes())); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

// sarifLeftOut says what the log does not hold; nil when it holds everything.
func sarifLeftOut(kinds []Kind, place func(id string) int, o FormatOptions) []sarifInvocation {
	var list []sarifNotification
	for _, k := range kinds {
		if k.Left() == 0 {
			continue
		}
		text := fmt.Sprintf("This log holds %s of %s of %s.", amount.Grouped(k.Shown), amount.Counted(k.Count, "finding"), k.ID)
		if o.All != "" {
			text += " " + o.All + " prints all."
		}
		list = append(list, sarifNotification{sarifReference{k.ID, place(k.ID)}, "warning", sarifText{text}})
	}
	if list == nil {
		return nil
	}
	return []sarifInvocation{{Successful: true, Notifications: list}}
}

func sarifLevel(s Severity) string {
	if s == Info {
		return "note"
	}
	return s.String()
}

// sarifMessage is message and hint. Links of the form [text](1) have a meaning
// there, so brackets are escaped.
func sarifMessage(d Diagnostic) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(withAdvice(d))
}

// sarifRules lists the rules of the diagnostics, in the order of their ids.
func sarifRules(list []Diagnostic, o FormatOptions) []sarifRule {
	seen := map[string]bool{}
	rules := []sarifRule{}
	for _, d := range list {
		if seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		r := sarifRule{ID: d.ID}
		if o.Rules != nil {
			if text, ok := o.Rules(d.ID); ok {
				r.Short, r.Full, r.Help = &sarifText{text.Title}, &sarifText{text.Means}, &sarifText{text.Help}
				r.Default = &sarifDefault{sarifLevel(text.Severity)}
			}
		}
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

// configName is where a finding about the whole repository is placed.
const configName = "packgen.yaml"

// sarifLocations is the place of a diagnostic.
func sarifLocations(d Diagnostic, o FormatOptions) []sarifLocation {
	path := o.path(d)
	if path == "" {
		// GitHub takes no file with a result that has no place.
		path = configName
	}
	at := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: path}).EscapedPath()}}
	if strings.Contains(strings.SplitN(path, "/", 2)[0], ":") {
		at.Artifact.URI = "./" + at.Artifact.URI // no scheme
	}
	if d.Line > 0 {
		at.Region = &sarifRegion{StartLine: d.Line, StartColumn: sarifColumn(d, o)}
	}
	return []sarifLocation{{at}}
}

// maxColumn is the last column in bytes that is counted in characters. Nobody looks
// for a place after it, and counting takes as long as the line.
const maxColumn = 64 << 10

// sarifColumn turns a column in bytes into one in characters; 0 when the line is
// not known and they may differ.
func sarifColumn(d Diagnostic, o FormatOptions) int {
	if d.Column <= 1 || o.Lines == nil {
		return min(d.Column, 1)
	}
	if d.Column > maxColumn {
		return 0
	}
	text, ok := o.Lines(d)
	if !ok {
		return 0
	}
	return utf8.RuneCountInString(text[:min(d.Column-1, len(text))]) + 1
}

// fingerprints computes the fingerprint of each diagnostic in the given order. No
// hash of a line with a secret is published: short secrets could be guessed.
func fingerprints(list []Diagnostic, o FormatOptions) []string {
	seen := map[string]int{}
	out := make([]string, len(list))
	memo := &lineMemo{lines: o.Lines}
	for i, d := range list {
		basis := shown(d).Message
		if o.Lines != nil && d.ID != secretID {
			if l := memo.line(&d); l.text != "" {
				basis = string(l.basis())
			}
		}
		sum := sha256.Sum256([]byte(d.ID + "\x00" + o.path(d) + "\x00" + basis))
		print := hex.EncodeToString(sum[:16])
		seen[print]++
		out[i] = fmt.Sprintf("%s:%d", print, seen[print])
	}
	return out
}
