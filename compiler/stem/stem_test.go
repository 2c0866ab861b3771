package stem

import "testing"

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, words := range [][]string{{"compile", "compiled", "compiler", "compilation", "compiling"}, {"status", "statuses"}, {"query", "queries"}, {"publish", "published", "publisher"}, {"stop", "stopped"}} {
		want := string(Of([]byte(words[0])))
		for _, w := range words[1:] {
			if got := string(Of([]byte(w))); got != want {
				t.Errorf("%s has %q, %s has %q", words[0], want, w, got)
			}
		}
	}
	for _, w := range []string{"", "a", "is", "k9", "知识", "émile", "ment", "ing"} {
		if got := string(Of([]byte(w))); got != w {
			t.Errorf("%q becomes %q", w, got)
		}
	}
}

func TestFormsOfACyrillicWordHaveOneStem(t *testing.T) {
	for _, words := range [][]string{
		{"возврат", "возврата", "возврату", "возвратом", "возврате", "возвраты", "возвратов", "возвратами", "возвратах"},
		{"настройка", "настройки", "настройке", "настройку", "настройкой", "настройками"},
		{"пользователь", "пользователя", "пользователем", "пользователи", "пользователей"},
		{"новый", "новая", "новое", "новые", "нового", "новому", "новым", "новых"},
		{"сохранять", "сохраняет", "сохраняют", "сохранить"},
		{"расчёт", "расчет", "расчёта"},
		{"возвращает", "возвращается"},
	} {
		want := string(Of([]byte(words[0])))
		for _, w := range words[1:] {
			if got := string(Of([]byte(w))); got != want {
				t.Errorf("%s has %q, %s has %q", words[0], want, w, got)
			}
		}
	}
	for _, w := range []string{"не", "мы", "код", "файл", "v2версия", "версия2", "\xd0", "\xd0\xd0", "\xd0\xb0\xd0"} {
		if got := string(Of([]byte(w))); got != w {
			t.Errorf("%q becomes %q", w, got)
		}
	}
	for _, pair := range [][2]string{{"файл", "файлы"}, {"код", "кода"}} {
		if a, b := string(Of([]byte(pair[0]))), string(Of([]byte(pair[1]))); a != b {
			t.Errorf("%s has %q, %s has %q", pair[0], a, pair[1], b)
		}
	}
	if a, b := string(Of([]byte("сервер"))), string(Of([]byte("сервис"))); a == b {
		t.Errorf("two words have the stem %q", a)
	}
}
