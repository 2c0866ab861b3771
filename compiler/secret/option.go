package secret

import (
	"bytes"
	"strings"
)

// passwordOptions are the short options for a password, by the programs that have them.
var passwordOptions = [...]struct{ program, option string }{
	{"mysql", "-p"}, {"mariadb", "-p"}, {"sshpass", "-p"}, {"redis-cli", "-a"}, {"ldap", "-w"}, {"login", "-p"},
}

// option looks at an option of a command that a secret follows, as in
// "--password S3cr…", "-u name:S3cr…" and "mysql -pS3cr…", and returns where to continue.
func (s *scan) option(i int) int {
	end := run(s.text, i, maxName, isTokenRest)
	if s.shortOption(i) || end >= len(s.text) || s.text[end] != ' ' {
		return i + 1
	}
	switch name := string(s.text[i:end]); {
	case isUserOption(s.text[:i], name):
		from := end + 1
		if from < len(s.text) && (s.text[from] == '\'' || s.text[from] == '"') {
			from++
		}
		stop := run(s.text, from, maxValue, func(c byte) bool { return !isBlank(c) && strings.IndexByte("\"'`", c) < 0 })
		user, password, ok := strings.Cut(string(s.text[from:stop]), ":")
		if ok && len(password) >= leastPassword && user != password && mayBeChosen(password, false, marked) {
			s.add(kindPassword, false, from+len(user)+1, stop)
		}
	case strings.HasPrefix(name, "--"):
		if class := nameClassOf(s.text[i:end]); class != noName {
			s.valueAt(end, squeeze(s.text[i:end]), class, ' ')
		}
	}
	return i + 1
}

// isUserOption reports an option that a user and a password follow; before is what is before it.
func isUserOption(before []byte, name string) bool {
	return name == "-u" || name == "--user" || name == "-a" && bytes.HasSuffix(before, []byte("http "))
}

// shortOption looks at an option of one letter that a password follows, and reports
// whether there is one.
func (s *scan) shortOption(i int) bool {
	if i+3 >= len(s.text) || strings.IndexByte("paw", s.text[i+1]) < 0 {
		return false
	}
	before := s.text[max(0, i-maxBefore):i]
	if j := bytes.LastIndexByte(before, '\n'); j >= 0 {
		before = before[j+1:]
	}
	for _, each := range passwordOptions {
		if s.text[i+1] != each.option[1] || !bytes.Contains(before, []byte(each.program)) {
			continue
		}
		from, to, _ := assignedValue(s.text, i+2, ' ')
		if value := string(s.text[from:to]); isStrong(value) || isChosen(value, alone) {
			s.valueAt(i+2, "", passwordName, ' ')
			return true
		}
	}
	return false
}

// isPairName reports the squeezed name of a user and a password together.
func isPairName(name string) bool {
	switch name {
	case "login", "credentials", "zugangsdaten", "identifiants", "credenciales", "credenciais", "credenziali":
		return true
	}
	return false
}

// pair judges the password after a user and a sign, where a name says that both follow:
// "login: admin:S3cr…" and "login: admin / S3cr…".
func (s *scan) pair(name string, from int, sign byte) {
	if !isPairName(name) {
		return
	}
	at := run(s.text, from, maxName, func(c byte) bool { return strings.IndexByte(" \t\"'`*", c) >= 0 })
	user := run(s.text, at, maxName, func(c byte) bool { return isDotted(c) || c == '@' })
	value := run(s.text, user, 4, func(c byte) bool { return strings.IndexByte(" :/`*", c) >= 0 })
	if between := s.text[user:value]; user == at || !bytes.ContainsAny(between, ":/") || bytes.Contains(between, []byte("//")) {
		return
	}
	start, to, _ := assignedValue(s.text, value, sign)
	if text := string(s.text[start:to]); isStrong(text) || isShortPassword(text) || isChosen(text, alone) {
		s.valueAt(value, "", passwordName, sign)
	}
}
