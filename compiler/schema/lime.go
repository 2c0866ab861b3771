package schema

import "strings"

// limeIndex is compiled/index.json as another implementation writes it, in
// camelCase (section 6.7). It has no schema_version.
type limeIndex struct {
	Pack            string      `json:"pack"`
	Profile         string      `json:"profile"`
	RuntimeMode     string      `json:"runtimeMode"`
	PrimaryDocument *string     `json:"primaryDocument" check:"null"`
	GeneratedAt     string      `json:"generatedAt"`
	Splits          []limeSplit `json:"splits" check:"required"`
	TotalTokens     int         `json:"totalTokens" min:"0"`
}

type limeSplit struct {
	ID             string   `json:"id" check:"required,nonempty"`
	Order          *int     `json:"order" check:"null"`
	Title          string   `json:"title"`
	RelativePath   string   `json:"relativePath" check:"required,nonempty"`
	SourceDocument string   `json:"sourceDocument"`
	CharCount      int      `json:"charCount" min:"0"`
	TokenEstimate  int      `json:"tokenEstimate" min:"0"`
	SourceAnchors  []string `json:"sourceAnchors"`
	SHA256         string   `json:"sha256"`
}

// isLime reports whether an index has members of the camelCase shape and lacks
// schema_version. It looks at names up to the first that decides.
func isLime(data []byte) bool {
	s := newScanner(data)
	lime := false
	_ = s.members(func(name string, at int) error {
		switch name {
		case "runtimeMode", "primaryDocument", "generatedAt", "totalTokens":
			lime = true
		case "profile", "pack":
			_, err := s.text()
			return err
		}
		return s.fail(at, "decided")
	})
	return lime
}

// decodeLime maps the camelCase shape to ours. Anchors are dropped: that
// implementation lists every source of the pack there, not those of the split.
func decodeLime(data []byte) (*Index, error) {
	lime, err := decode[limeIndex](data)
	if err != nil {
		return nil, err
	}
	index := &Index{
		SchemaVersion: 1, Pack: lime.Pack, Profile: lime.Profile, RuntimeMode: lime.RuntimeMode,
		Views: []View{}, Splits: make([]Split, len(lime.Splits)),
	}
	if lime.PrimaryDocument != nil {
		index.PrimaryDocument = *lime.PrimaryDocument
	}
	for i, s := range lime.Splits {
		index.Splits[i] = Split{
			ID: s.ID, Order: i + 1, Title: s.Title, Document: s.SourceDocument, Path: limePath(s.RelativePath),
			TokenEstimate: s.TokenEstimate, SHA256: s.SHA256, SourceAnchors: []string{},
		}
		index.TotalTokenEstimate += s.TokenEstimate
	}
	return index, nil
}

// limePath makes a split's path relative to the pack root.
func limePath(path string) string {
	for _, missing := range []string{"", "compiled/"} {
		if full := missing + path; strings.HasPrefix(full, "compiled/splits/") {
			return full
		}
	}
	return "compiled/splits/" + path
}
