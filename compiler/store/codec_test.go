package store

import (
	"bytes"
	"reflect"
	"testing"
)

type spot struct{ at int }

type kept struct {
	Text, word string
	flag       bool
	signed     int32
	large      uint64
	share      float64
	sum        Digest
	none, some []string
	inner      struct{ list []spot }
	by         map[string]*spot
	pointer    *spot
	left       int `keep:"-"`
}

func sample() kept {
	v := kept{
		Text: "a", word: "bc", flag: true, none: nil, signed: -3, large: 1 << 60, share: -.25, sum: Sum([]byte("x")), some: []string{}, pointer: &spot{at: 7},
		by: map[string]*spot{"k": nil, "a": {at: 1}},
	}
	v.inner.list = []spot{{at: 2}, {}}
	return v
}

func TestAValueIsKeptWhole(t *testing.T) {
	v := sample()
	v.left = 9
	data := Encode(&v)
	if !bytes.Equal(data, Encode(v)) {
		t.Error("a value and a pointer to it differ")
	}
	var got kept
	if !Decode(data, &got) {
		t.Fatal("it cannot be read")
	}
	if want := sample(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nis not %+v", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(sample()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, again kept
		if Decode(data, &v) && (!Decode(Encode(v), &again) || !bytes.Equal(Encode(v), Encode(again))) {
			t.Errorf("%+v became %+v", v, again)
		}
	})
}
