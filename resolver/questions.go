package resolver

func (s *shelf) questions() map[string][]string { return nil }
