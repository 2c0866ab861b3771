package loadout

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func weightedIndex() *Index {
	e := func(id, summary string, keywords ...string) Entry {
		return Entry{ID: id, Path: id, Summary: summary, Keywords: keywords, Priority: PriorityDomain}
	}
	ix := &Index{Version: Version, Entries: []Entry{
		e("ops-when-ci-fails", "What each gate means.", "red", "gate"),
		e("ops-cut-the-release", "Steps from the changelog to the tag.", "tag"),
		e("ops-compiling", "How compilers read pages.", "compiled views"),
		e("ops-overview", "The tag and the pages.", "tag"),
		e("docs-cjk", "知识包保存事实。", "来源"),
		e("docs-cafe", "Where coffee is.", "café"),
		{ID: "always", Path: "always", Priority: PriorityCore},
		{ID: "by-hand", Path: "by-hand", Priority: PriorityManual, Keywords: []string{"gate"}},
	}}
	return ix
}

func TestTheWeightedDialect(t *testing.T) {
	for _, c := range []struct{ rule, task, want, reason string }{
		{"words of the heading hit, and forms of a word", "the CI is failing again", "ops-when-ci-fails", "words [ci, failing]"},
		{"a rare keyword alone", "why is it red", "ops-when-ci-fails", "words [red]"},
		{"several pieces need not all be there", "compile it", "ops-compiling", "words [compile]"},
		{"a summary alone is half", "show me the changelog", "", ""},
		{"pairs of characters where there are no spaces", "知识包是什么", "docs-cjk", "words [知识, 识包]"},
		{"a keyword without spaces", "来源", "docs-cjk", "words [来源]"},
		{"case and accents are folded", "CAFE", "docs-cafe", "words [cafe]"},
		{"words that say nothing", "please do it again, thanks", "", ""},
		{"manual entries do not load", "by hand", "", ""},
	} {
		ix := weightedIndex()
		results := oktest.Value(Match(c.task, ix, MatchOptions{Dialect: Weighted}))(t)
		got, reason, core := "", "", false
		for _, r := range results {
			if r.Mode == Eager {
				core = true
			} else if got == "" {
				got, reason = r.Entry.ID, r.Reason()
			}
		}
		if !core {
			t.Errorf("%s: the core entry is not loaded", c.rule)
		}
		if got != c.want || reason != c.reason {
			t.Errorf("%s: %q selects %q because of %q, want %q, %q", c.rule, c.task, got, reason, c.want, c.reason)
		}
	}
}

// A word is worth the less the more entries hold it, and the arithmetic adds up.
func TestTheArithmeticOfAWeightedScore(t *testing.T) {
	b := oktest.Value(Detail("tag a release with a changelog", weightedIndex(), MatchOptions{Dialect: Weighted}))(t)
	at := slices.IndexFunc(b.Entries, func(r Rating) bool { return r.Mode == Lazy })
	r := b.Entries[at]
	v := r.Score.Evidence
	if r.Entry.ID != "ops-cut-the-release" || v == nil || strings.Join(v.Words, " ") != "tag release changelog" || v.InSummary != 1 {
		t.Fatalf("%s: %+v", r.Entry.ID, v)
	}
	if !(v.Worth[0] < v.Worth[1] && v.Worth[1] == 1 && v.Worth[2] == 0.5) {
		t.Errorf("worth %v", v.Worth)
	}
	if sum := rounded((v.Worth[0] + v.Worth[1] + v.Worth[2]) / fullEvidence); r.Score.Base != sum || r.Score.Total != min(1, sum) {
		t.Errorf("base %v, total %v, want %v", r.Score.Base, r.Score.Total, sum)
	}
	if got := string(AppendBreakdown(nil, b, 0, 0)); !strings.Contains(got, `"words":["tag","release","changelog"]`) || !strings.Contains(got, `"inSummary":1`) {
		t.Error(got)
	}
}

func TestAllWaysOfTheWeightedDialectAgree(t *testing.T) {
	ix := weightedIndex()
	m := NewMatcher(ix)
	for _, task := range []string{"the CI is failing again", "tag", "", strings.Repeat("word", 3000), strings.Repeat("gate a b c d e f g h i j k ", 99)} {
		o := MatchOptions{Dialect: Weighted}
		want := oktest.Value(Match(task, ix, o))(t)
		got, err := m.Match(task, o)
		if err != nil || string(AppendResults(nil, got)) != string(AppendResults(nil, want)) {
			t.Errorf("%.20q: %s, %v, want %s", task, AppendResults(nil, got), err, AppendResults(nil, want))
		}
		a, _ := Detail(task, ix, o)
		b, err := m.Detail(task, o)
		if err != nil || string(AppendBreakdown(nil, a, 0, 0)) != string(AppendBreakdown(nil, b, 0, 0)) {
			t.Errorf("%.20q: the breakdowns differ, %v", task, err)
		}
		included := 0
		for i := range a.Entries {
			if a.Entries[i].Included {
				included++
			}
		}
		if included != len(want) {
			t.Errorf("%.20q: %d included, %d matched", task, included, len(want))
		}
	}
	x, err := ExplainTask("the CI is failing", "ops-when-ci-fails", ix, MatchOptions{Dialect: Weighted})
	if err != nil || x.Rank != 1 || x.Score.Evidence == nil || !x.Included {
		t.Errorf("explained as %+v, %v", x, err)
	}
}

// The exact dialects are those of the format: nothing of the third shows in them.
func TestExactDialectsHaveNoEvidence(t *testing.T) {
	for _, d := range []Dialect{Coverage, Recall} {
		b := oktest.Value(Detail("the CI is red, tag it", weightedIndex(), MatchOptions{Dialect: d}))(t)
		for _, r := range b.Entries {
			if r.Score.Evidence != nil {
				t.Errorf("%s: %s has evidence", d, r.Entry.ID)
			}
		}
	}
	for i, name := range Dialects() {
		if d, ok := NamedDialect(name); !ok || d != Dialect(i) || d.String() != name {
			t.Errorf("%s is %v", name, d)
		}
	}
}

// A prompt in any script selects what is about the same thing.
func TestTheWeightedDialectInAnyScript(t *testing.T) {
	for _, c := range []struct{ script, keyword, summary, task, other string }{
		{"Japanese", "返金", "返金の手順", "返金はいつされますか", "明日の天気"},
		{"Chinese", "退款", "退款的步骤", "什么时候能退款", "今天天气怎么样"},
		{"Korean", "환불", "환불 절차", "환불은 언제 되나요", "오늘 날씨"},
		{"Thai", "คืนเงิน", "ขั้นตอนการคืนเงิน", "จะได้คืนเงินเมื่อไหร่", "พรุ่งนี้"},
		{"Arabic", "استرداد", "خطوات استرداد المبلغ", "متى يتم استرداد المبلغ", "الطقس غدا"},
		{"Cyrillic", "возврат", "Как вернуть деньги", "как оформить Возврат", "погода завтра"},
		{"Cyrillic in other forms", "возвраты", "Оформление возвратов", "не могу оформить возврата", "какая завтра погода"},
	} {
		ix := &Index{Version: Version, Entries: []Entry{
			{ID: "shop-refund", Keywords: []string{c.keyword}, Summary: c.summary, Priority: PriorityDomain},
			{ID: "shop-delivery", Keywords: []string{"delivery"}, Summary: "Delivery.", Priority: PriorityDomain},
		}}
		for task, want := range map[string]string{c.task: "shop-refund", c.other: ""} {
			results, err := Match(task, ix, MatchOptions{Dialect: Weighted})
			if err != nil || ids(results) != want {
				t.Errorf("%s: %q selects %q, %v, want %q", c.script, task, ids(results), err, want)
			}
		}
	}
}
