package oktest

import "testing"

// Check ends the test when there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value passes on what a function returns, unless there is an error, which ends the test:
//
//	text := oktest.Value(json.Marshal(record))(t)
func Value[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Check(t, err)
		return value
	}
}
