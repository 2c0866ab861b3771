package loadout

// AppendKeys appends keys as JSON. Only the browser asks for it.
func AppendKeys(dst []byte, keys []string) []byte {
	return append(appendStrings(appendText(dst, `{"keys":`), keys), '}')
}
