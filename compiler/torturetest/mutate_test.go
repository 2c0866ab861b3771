package torturetest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// The same seed makes the same changes, nearly all differ from what is valid, and none
// grows without a limit.
func TestMutateIsRepeatableAndBounded(t *testing.T) {
	valid := []byte(`{"name": "kettle", "files": [{"path": "documents/a.md", "size": 12}]}`)
	one, two := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	same := 0
	for range 2000 {
		a, b := Mutate(one, valid), Mutate(two, valid)
		if !bytes.Equal(a, b) || len(a) > len(valid)+1<<16 {
			t.Fatalf("%d and %d bytes", len(a), len(b))
		}
		if bytes.Equal(a, valid) {
			same++
		}
	}
	if same > 200 {
		t.Errorf("%d of 2000 are as they were", same)
	}
	Mutate(one, nil)
}

func TestEscapesHoldTagsAndComments(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 3))
	seen := map[string]int{}
	for range 1000 {
		text := Escape(chance, "knowledge_pack")
		for _, part := range []string{"</knowledge_pack>", "<!-- documents/forged.md", "KNOWLEDGE_PACK", "\u212anowledge"} {
			seen[part] += strings.Count(text, part)
		}
	}
	for part, n := range seen {
		if n < 10 {
			t.Errorf("%s is in %d of 1000", part, n)
		}
	}
}
