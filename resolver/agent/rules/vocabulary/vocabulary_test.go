package vocabulary

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreThoseThatTellASectionFromTheOthers(t *testing.T) {
	t.Parallel()
	texts := []Text{
		{"Migrations", "- Add a column in a migration; columns are never renamed.\n- Run `make schema-dump` before the project is built.\n"},
		{"Prices", "- A price is in cents, a discount too.\n- Run the project's checks; prices are never rounded twice.\n"},
		{"Times", "- A departure is in UTC.\n- Run the project's clock, with offsets of hours.\n"},
		{"Shop", "- The shop has buttons.\n- Run the project's shop.\n"},
	}
	lists := Words(texts, 6)
	for i, want := range [][]string{{"migrations", "column", "schema"}, {"prices", "discount", "cents"}, {"departure", "utc", "offsets"}, {"shop", "buttons"}} {
		for _, w := range want {
			if !slices.Contains(lists[i], w) {
				t.Errorf("%s: %v has no %s", texts[i].Heading, lists[i], w)
			}
		}
	}
	for i, list := range lists {
		if len(list) > 6 {
			t.Errorf("%s has %d words", texts[i].Heading, len(list))
		}
		for _, w := range []string{"run", "project", "never", "twice", "hours", "a", "in"} {
			if slices.Contains(list, w) {
				t.Errorf("%s: %v has %s, which all have or which says nothing", texts[i].Heading, list, w)
			}
		}
	}
	if slices.Contains(lists[0], "columns") || slices.Contains(lists[1], "price") {
		t.Errorf("%v, %v: two forms of one word", lists[0], lists[1])
	}
}

// A name that an example has once is not one that a task has.
func TestWordsOfCodeBlocksCountLess(t *testing.T) {
	t.Parallel()
	lists := Words([]Text{{"Jobs", "Retry a job.\n\n```go\nfoo := bar\n```\n"}, {"Other", "Nothing of it."}}, 9)
	if slices.Contains(lists[0], "foo") || !slices.Contains(lists[0], "retry") {
		t.Errorf("%v", lists[0])
	}
	lists = Words([]Text{{"Jobs", "```sh\nquayctl a\nquayctl b\n```\n"}, {"Other", "Nothing of it."}}, 9)
	if !slices.Contains(lists[0], "quayctl") {
		t.Errorf("%v: what is there twice counts", lists[0])
	}
}

func TestWordsOfScriptsWithoutSpaces(t *testing.T) {
	t.Parallel()
	lists := Words([]Text{
		{"データベース移行", "- 移行は必ず前方互換にする。列の名前を変えない。\n- `make schema` を実行する。\n"},
		{"发布流程", "- 发布前运行测试。\n- 回滚用上一个标签。\n"},
		{"Выпуск", "- Метка ставится после тестов.\n"},
	}, 12)
	for i, want := range [][]string{{"データベース", "移行", "schema"}, {"发布流程"}, {"выпуск", "метка"}} {
		for _, w := range want {
			if !slices.Contains(lists[i], w) {
				t.Errorf("%v has no %s", lists[i], w)
			}
		}
	}
}

// The time does not grow with the square of the length.
func TestWordsOfAVeryLongFile(t *testing.T) {
	t.Parallel()
	var texts []Text
	for i := range 2_000 {
		var b strings.Builder
		for j := range 100 {
			fmt.Fprintf(&b, "word%dx%d ", i, j)
		}
		texts = append(texts, Text{fmt.Sprint("Heading ", i), b.String()})
	}
	for i, list := range Words(texts, 3) {
		if len(list) != 3 {
			t.Fatalf("section %d has %v", i, list)
		}
	}
}
