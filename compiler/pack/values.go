package pack

import (
	"slices"
	"strings"
)

// Values that the fields of KNOWLEDGE.md may have (agent-knowledge sections
// 3.2 to 3.4 and 14). Each call returns a list of the caller's own.

// profiles returns the values of profile.
func profiles() []string { return []string{documentFirst, WikiFirst, Hybrid} }

// modes returns the values of runtime.mode.
func modes() []string { return []string{modeData, ModePersona} }

// Trusts returns the values of trust.
func Trusts() []string { return []string{"unreviewed", "user-confirmed", "official", "external"} }

// Groundings returns the values of grounding.
func Groundings() []string { return []string{"none", "recommended", "required"} }

// types returns the plain values of type; "custom:<namespace>" comes on top.
func types() []string {
	return []string{
		"personal-profile", "brand-persona", "brand-product", "organization-knowhow", "content-operations",
		"private-domain-operations", "live-commerce-operations", "campaign-operations", "growth-strategy",
		"content-ontology", "domain-reference", "research-wiki",
	}
}

// producerKinds returns the values of metadata.producedBy.kind (section 3.6).
func producerKinds() []string { return []string{"agent-skill", "skill", "tool", "manual", "import"} }

// The profiles and modes that decide what compile does.
const (
	documentFirst = "document-first"
	WikiFirst     = "wiki-first"
	Hybrid        = "hybrid"
	modeData      = "data"
	ModePersona   = "persona"
)

// KnownType reports whether t is a type of section 3.4: a plain value, or
// "custom:" and a namespace.
func KnownType(t string) bool {
	if namespace, ok := strings.CutPrefix(t, "custom:"); ok {
		return namespace != "" && !strings.ContainsAny(namespace, " \t\n")
	}
	return slices.Contains(types(), t)
}

// TrustRank orders trust for shadowing (section 12.2): the higher one wins.
// Absent counts as unreviewed.
func TrustRank(trust string) int {
	return slices.Index([]string{"external", "user-confirmed", "official"}, trust) + 1
}

// EffectiveProfile is the profile, wiki-first when absent or unknown (section
// 3.3).
func (k *Knowledge) EffectiveProfile() string { return known(k.Profile, WikiFirst, profiles()) }

// EffectiveMode is runtime.mode, data when absent or unknown, for every type
// (section 3.4).
func (k *Knowledge) EffectiveMode() string { return known(k.RuntimeMode, modeData, modes()) }

// EffectiveGrounding is the grounding, none when absent or unknown (section
// 3.3).
func (k *Knowledge) EffectiveGrounding() string { return known(k.Grounding, "none", Groundings()) }

// EffectiveTrust is the trust used for gating, unreviewed when absent or
// unknown; it is not printed as declared (section 3.3).
func (k *Knowledge) EffectiveTrust() string { return known(k.Trust, "unreviewed", Trusts()) }

// HasDocuments reports whether documents/ is a primary source (section 4).
func (k *Knowledge) HasDocuments() bool { return k.EffectiveProfile() != WikiFirst }

// HasWiki reports whether wiki/ is a primary source (section 4).
func (k *Knowledge) HasWiki() bool { return k.EffectiveProfile() != documentFirst }

func known(value, absent string, all []string) string {
	if slices.Contains(all, value) {
		return value
	}
	return absent
}
