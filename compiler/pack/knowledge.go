package pack

import "go.yaml.in/yaml/v3"

// Knowledge is the front matter of KNOWLEDGE.md (sections 3.2 and 3.3). Fields
// hold what was declared; "" means absent. Use the methods for effective values.
type Knowledge struct {
	Name, Description, Type, Status     string
	Profile, Version, Language, License string
	Scope, Trust, Updated, Grounding    string
	RuntimeMode                         string // runtime.mode
	Maintainers                         []string
	Compatibility                       string
	PrimaryDocument                     string // metadata.primaryDocument
	PrimaryOntology, PrimaryAnswers     string
	ProducedBy                          *Producer
	Metadata                            *yaml.Node // the metadata map, for metadata.loadout; nil when absent
}

// Producer is metadata.producedBy (section 3.6).
type Producer struct{ Kind, Name, Version, Digest string }

// EffectiveProfile is the profile, wiki-first when absent (section 3.3).
func (k *Knowledge) EffectiveProfile() string { return "" }

// EffectiveMode is runtime.mode, data when absent (section 3.3).
func (k *Knowledge) EffectiveMode() string { return "" }

// EffectiveGrounding is the grounding, none when absent (section 3.3).
func (k *Knowledge) EffectiveGrounding() string { return "" }

// EffectiveTrust is the trust used for gating, unreviewed when absent.
func (k *Knowledge) EffectiveTrust() string { return "" }
