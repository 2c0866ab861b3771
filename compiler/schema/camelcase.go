package schema

import "strings"

// camelIndex is compiled/index.json as another implementation writes it, in
// camelCase (section 6.7). It has no schema_version.
type camelIndex struct {
	Pack            string       `json:"pack"`
	Profile         string       `json:"profile"`
	RuntimeMode     string       `json:"runtimeMode"`
	PrimaryDocument *string      `json:"primaryDocument" check:"null"`
	GeneratedAt     string       `json:"generatedAt"`
	Splits          []camelSplit `json:"splits" check:"required"`
	TotalTokens     int          `json:"totalTokens" min:"0"`
}

type camelSplit struct {
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

// isCamelCase reports whether an index has members of the camelCase shape and lacks
// schema_version. It looks at names up to the first that decides.
func isCamelCase(data []byte) bool {
	s := newScanner(data)
	camel := false
	_ = s.members(func(name string, at int) error {
		switch name {
		case "runtimeMode", "primaryDocument", "generatedAt", "totalTokens":
			camel = true
		case "profile", "pack":
			_, err := s.text()
			return err
		}
		return s.fail(at, "decided")
	})
	return camel
}

// decodeCamelCase maps the camelCase shape to ours. Anchors are dropped: that
// implementation lists every source of the pack there, not those of the split.
func decodeCamelCase(data []byte) (*Index, error) {
	camel, err := decode[camelIndex](data)
	if err != nil {
		return nil, err
	}
	index := &Index{
		SchemaVersion: 1, Pack: camel.Pack, Profile: camel.Profile, RuntimeMode: camel.RuntimeMode,
		Views: []View{}, Splits: make([]Split, len(camel.Splits)),
	}
	if camel.PrimaryDocument != nil {
		index.PrimaryDocument = *camel.PrimaryDocument
	}
	for i, s := range camel.Splits {
		index.Splits[i] = Split{
			ID: s.ID, Order: i + 1, Title: s.Title, Document: s.SourceDocument, Path: camelPath(s.RelativePath),
			TokenEstimate: s.TokenEstimate, SHA256: s.SHA256, SourceAnchors: []string{},
		}
		index.TotalTokenEstimate += s.TokenEstimate
	}
	return index, nil
}

// camelPath makes a split's path relative to the pack root.
func camelPath(path string) string {
	for _, missing := range []string{"", "compiled/"} {
		if full := missing + path; strings.HasPrefix(full, "compiled/splits/") {
			return full
		}
	}
	return "compiled/splits/" + path
}
