package connect

import "path/filepath"

// Settings says what becomes of one settings file of Claude, by its absolute path, when the
// hook runs a command; without a command, when the hook is taken out. Messages call the
// file shown. Nothing is written.
func Settings(name, shown, command string) (*Change, error) {
	var list []*Change
	o := Options{Hook: command, Remove: command == ""}
	c, err := open(&list, filepath.Dir(name), filepath.Base(name), Claude)
	if err == nil {
		err = c.edit(hooks, &o)
	}
	if err != nil {
		return nil, explain(place{shown, hooks}, command, err)
	}
	c.settle(o.Remove)
	return c, nil
}
