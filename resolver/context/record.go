package context

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// Record is runs/context-<timestamp>.json: what was chosen for a query
// (agent-knowledge section 10). It is a closed object.
type Record struct {
	RunID          string                 `json:"run_id"`
	Query          string                 `json:"query"`
	Status         schema.Status          `json:"status"`
	Resolver       schema.ContextResolver `json:"resolver"`
	ActivatedPacks []RecordPack           `json:"activated_packs"`
	Missing        []string               `json:"missing,omitempty"`
	TokenEstimate  int                    `json:"token_estimate"`
	WrapperOrder   []string               `json:"wrapper_order"` // pack names
}

// RecordPack is one activated pack.
type RecordPack struct {
	Name              string                 `json:"name"`
	Activation        string                 `json:"activation"` // explicit, implicit, resolver-driven
	SelectedFiles     []string               `json:"selected_files"`
	Status            schema.Status          `json:"status,omitempty"`
	Trust             string                 `json:"trust,omitempty"`
	Grounding         string                 `json:"grounding,omitempty"`
	SourceAnchors     []string               `json:"source_anchors"`
	Warnings          []Warning              `json:"warnings"` // then the compile warnings, and the claims that are stale or disputed
	Profile           string                 `json:"profile,omitempty"`
	RuntimeMode       string                 `json:"runtime_mode,omitempty"`
	SelectedDocuments []string               `json:"selected_documents"`
	SelectedSplits    []string               `json:"selected_splits"`
	WrapperOrder      int                    `json:"wrapper_order"` // from 1
	BuilderSkill      *schema.ContextBuilder `json:"builder_skill,omitempty"`
}

// strategy is what the selection of section 13.5 calls itself in records.
const strategy = "profile-aware"

// RecordID returns the id of a context record, which is also the stem of its
// file in runs/: its time in UTC and, from the second record of one second on, a
// number.
func RecordID(at time.Time, n int) string {
	return schema.RunName{Kind: "context", Time: at, N: n}.String()
}

// ErrNotRecorded marks a resolution that no record can hold: the schema wants a
// query and at least one activated pack.
var ErrNotRecorded = errors.New("nothing to record: the query is empty, or no pack was activated")

// Record returns the record of a resolution. Blocked packs were not activated
// and are not in it.
func (r *Resolution) Record(id string) (*Record, error) {
	record := &Record{
		RunID: id, Query: r.Query, Status: r.Status,
		Resolver:      schema.ContextResolver{Tool: "packgen", Version: compiler.Version, Strategy: strategy},
		Missing:       r.Missing,
		TokenEstimate: r.TokenEstimate,
	}
	for i := range r.Activated {
		if a := &r.Activated[i]; !a.Blocked {
			record.WrapperOrder = append(record.WrapperOrder, a.Name)
			record.ActivatedPacks = append(record.ActivatedPacks, a.record(len(record.WrapperOrder)))
		}
	}
	if r.Query == "" || len(record.ActivatedPacks) == 0 {
		return nil, ErrNotRecorded
	}
	return record, nil
}

func (a *Activated) record(order int) RecordPack {
	p := RecordPack{
		Name: a.Name, Activation: string(a.Activation), Status: a.Status,
		Trust: oneOf(a.Trust, pack.Trusts()), Grounding: oneOf(a.Grounding, pack.Groundings()),
		SourceAnchors: a.SourceAnchors, Warnings: slices.Concat(a.Warnings, a.CompileWarnings),
		Profile: a.Profile, RuntimeMode: a.Mode,
		SelectedDocuments: a.SelectedDocuments, SelectedSplits: a.SelectedSplits, WrapperOrder: order,
	}
	for _, c := range a.Claims { // the format has no other place for them
		message := fmt.Sprintf("The claim %q is %s.", c.Text, c.Status)
		if c.Source != "" {
			message = fmt.Sprintf("The claim %q, which rests on %s, is %s.", c.Text, c.Source, c.Status)
		}
		p.Warnings = append(p.Warnings, Warning{diag.Warning, c.Path, message})
	}
	for _, s := range a.Selection {
		p.SelectedFiles = append(p.SelectedFiles, s.Path)
	}
	if made := a.builder; made != nil && made.Kind == "agent-skill" && made.Name != "" {
		p.BuilderSkill = &schema.ContextBuilder{Name: made.Name, Version: made.Version, Digest: made.Digest}
	}
	return p
}

// oneOf drops a value that the schema does not know.
func oneOf(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	return ""
}
