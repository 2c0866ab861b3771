package schema

import "errors"

// WholeRun returns the texts of a record and its ledger as they are published: those of
// a whole one, since a list may hold what was withdrawn since. Each is nil where it is
// published as it is. The error of a ledger or list that cannot be used is a *ListFault.
//
// A record that packgen wrote through a list is then, byte for byte, the one it would
// have written whole.
func WholeRun(data []byte, read func(path string) ([]byte, error)) (record, ledger []byte, err error) {
	short, err := readAlone(data, read, longLists())
	if fault := new(ListFault); errors.As(err, &fault) {
		return nil, nil, err
	}
	if err != nil || short.Base == nil {
		return nil, nil, nil
	}
	whole, err := ReadRun(data, read)
	if err != nil {
		return nil, nil, err
	}
	whole.List = ""
	if inside, err := decodeRunSummary(data); err != nil || !inside.hasLedger() {
		record, err = Encode(whole) // its keys are in the record itself
		return record, nil, err
	}
	own, beside, err := whole.Files()
	if err != nil {
		return nil, nil, err
	}
	if record, err = Encode(own); err != nil {
		return nil, nil, err
	}
	ledger, err = Encode(beside)
	return record, ledger, err
}
