package scripts

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
)

func TestWordsOfWordsAreWhatPeopleCallWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"データベース移行の手順":        "データベース 移行 手順",
		"数据库迁移":              "数据 据库 库迁 迁移",
		"发布 and rollback":    "发布",
		"اختبار الوحدات":     "اختبار الوحدات",
		"Выпуск версии 2":    "выпуск версии",
		"데이터베이스 이전":          "데이터베이스 이전",
		"鍵":                  "鍵",
		"を使う":                "使",
		"plain words, no ｘ!": "",
		"🚀":                  "",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// Each word is found in a task that has the text, and a task that has the endings alone
// calls nothing.
func TestWordsOfWordsAreReachable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"データベース移行の手順", "数据库迁移", "การย้ายฐานข้อมูล", "ການຍ້າຍ", "Ünïcode café", "חיפוש מהיר"} {
		task := loadout.Unicode.Words(text)
		for _, w := range Words(text) {
			for _, piece := range loadout.Unicode.Words(w) {
				if !slices.Contains(task, piece) {
					t.Errorf("%q: no task has %q of %q", text, piece, w)
				}
			}
		}
	}
}
