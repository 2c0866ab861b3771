package stem

import "testing"

func TestSpansAreInOrder(t *testing.T) {
	for i := 1; i < len(spans); i++ {
		if spans[i].first <= spans[i-1].last || spans[i].last < spans[i].first {
			t.Errorf("%X to %X after %X", spans[i].first, spans[i].last, spans[i-1].last)
		}
	}
	if len(latinBases) != 0x234-latinFirst || len(vietnameseBases) != 0x100 {
		t.Errorf("tables of %d and %d letters", len(latinBases), len(vietnameseBases))
	}
}

func TestLettersAreFolded(t *testing.T) {
	for text, want := range map[string]string{
		"\u00c9\u00df\u1e9e": "essss", "\u0130\u0131": "ii", "\uff21\uff42\uff13": "ab3", "\u0219\u021b": "st", "\u01fd\u0153": "aeoe", "\ufb03": "ffi",
		"\u03c2\u0391": "\u03c3\u03b1", "\u0419\u0451": "\u0438\u0435", "\u77e5": "\u77e5", "\u0180": "\u0180",
	} {
		var got []byte
		for _, r := range text {
			got = AppendFolded(got, r)
		}
		if string(got) != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
