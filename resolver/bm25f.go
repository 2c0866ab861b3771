package resolver

// BM25F is the default scorer.
type BM25F struct{}

func (BM25F) Name() string { return "bm25f" }
func (BM25F) Score(query string, sections []Section) Ranking { return Overlap{}.Score(query, sections) }
func (BM25F) usesQuestions() bool { return true }
