package jsonrecord_test

import (
	"math"
	"testing"

	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

// What the kernel appended is not touched, and a number that JSON cannot say is null.
func TestRawPartsStayAsTheyAre(t *testing.T) {
	got := string(jsonrecord.Marshal(struct {
		ID     jsonrecord.Raw `json:"id"`
		Absent jsonrecord.Raw `json:"absent,omitempty"`
		Tokens jsonrecord.Raw `json:"tokens"`
		Text   string         `json:"text"`
	}{jsonrecord.Raw(`"\ud800"`), nil, jsonrecord.Number(math.NaN()), "<a & b>"}))
	if want := `{"id":"\ud800","tokens":null,"text":"<a & b>"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(jsonrecord.Marshal(math.Inf(1))); got != "null" {
		t.Errorf("%s, want null", got)
	}
}
