package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
	"sync"
)

// userBefore returns how long the user and the sign are before a password, as in
// "admin:S3cr…"; 0 where there is none.
func userBefore(value []byte) int {
	at := bytes.IndexByte(value, ':')
	if at < 0 {
		at = bytes.IndexByte(value, '/')
	}
	if at < 0 || !only(string(value[:at]), isDotted) {
		return 0
	}
	return at + 1
}

// isPaired reports a password after a user, from where the two begin.
func isPaired(text []byte, from, start, to int) bool {
	isUsers := isUser(text[from:start])
	if text[start-1] != ':' {
		isUsers = false
		if !announces(lastWord(lineBefore(text, from))) {
			return false
		}
	}
	return (isUsers || logsIn(text, from, to)) && isChosen(string(text[start:to]), alone)
}

// isNamed reports a value that a sentence makes a password.
func isNamed(text []byte, from, start, to int) bool {
	before, value := lineBefore(text, from), string(text[start:to])
	at := alone
	switch {
	case quotedAt(text, from):
		if at = placeOfQuoted(text, from, to); at == anywhere {
			return false
		}
		from--
		before = before[:len(before)-1]
	case isSaid(text, from, to) && only(value, isLower) && !describes(value):
		at = lined
	}
	if !(classBefore(text, start) == passwordName || classInSentence(text, from) == passwordName || isAfterUser(text, from, to) || isAsPassword(text, to)) {
		return false
	}
	return isChosen(value, at) && (lastWord(before) != "to" || changes(bytes.Fields(before)))
}

// placeOfQuoted says where a value is after a quotation mark: anywhere in a list or a remark,
// and where the quoted text continues.
func placeOfQuoted(text []byte, from, to int) place {
	lead := bytes.TrimRight(lineBefore(text, from-1), " \t`")
	switch {
	case to >= len(text) || text[to] != text[from-1]:
		return anywhere
	case len(lead) > 0 && strings.IndexByte("(,[{|", lead[len(lead)-1]) < 0:
		return marked
	case bytes.IndexByte(lead, '(') >= 0 && hasDigit(string(text[from:to])):
		return alone // an argument
	}
	return anywhere
}

// mayName reports a word that may be the name of a password, or be about logging in, by its
// last letters.
func mayName(word []byte) bool {
	var tail [4]byte
	n := copy(tail[:], word[max(0, len(word)-len(tail)):])
	for i, c := range tail[:n] {
		tail[i] = c | 0x20
	}
	switch string(tail[:n]) {
	case "word", "sswd", "rase", "wort", "oord", "asse", "sena", "enha", "kode", "sord", "sana", "eslo", "rola", "lave", "pass", "pwd", "pw", "psk",
		"log", "ogin", "dmin", "root", "gged", "sign", "ials", "ales", "iais", "iali", "fied":
		return true
	}
	return bytes.HasSuffix(tail[:n], []byte("pwd")) || bytes.HasSuffix(tail[:n], []byte("pw"))
}

// lastWord returns the last word of a text, "." where there is none.
func lastWord(text []byte) string {
	if words := bytes.Fields(text); len(words) > 0 && words[len(words)-1][0] != '/' {
		return string(words[len(words)-1])
	}
	return "."
}

// describes reports a word that ends as adjectives and participles do.
func describes(word string) bool {
	for _, end := range [...]string{"ed", "en", "ing", "ly", "ble", "al", "ct", "id", "ive", "ry", "ent", "ant", "ful", "less", "ous", "ure", "que", "ic", "ak", "ng", "wn", "dy"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// changes reports words that say that something became something else.
func changes(words [][]byte) bool {
	for _, word := range words {
		switch strings.ToLower(string(word)) {
		case "set", "sets", "change", "changed", "reset", "updated", "rotated":
			return true
		}
	}
	return false
}

// lineBefore and lineAfter return what is on the line before an offset and from one on, at
// most maxBefore bytes of it.
func lineBefore(text []byte, at int) []byte {
	before := text[max(0, at-maxBefore):at]
	return before[bytes.LastIndexAny(before, "\n|")+1:]
}

func lineAfter(text []byte, at int) []byte {
	after := text[at:min(len(text), at+maxBefore)]
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return after
}

// isAfterUser reports a value after a user's name, as in "log in as ops with X" and
// "use admin / X to log in".
func isAfterUser(text []byte, from, to int) bool {
	words := bytes.Fields(lineBefore(text, from))
	n := len(words)
	if n < 3 {
		return false
	}
	switch last := strings.Trim(string(words[n-1]), marks); last {
	case "with":
		return string(words[n-3]) == "as" && logsIn(text, from, to)
	case "/":
		return isUser(words[n-2]) || logsIn(text, from, to)
	}
	return false
}

const marks = "\"'`*_(),.:;!?"

// isUser reports a name that many systems give to their first user.
func isUser(word []byte) bool {
	switch strings.ToLower(strings.Trim(string(word), marks)) {
	case "admin", "root", "administrator":
		return true
	}
	return false
}

// logsIn reports a line that is about logging in around a value.
func logsIn(text []byte, from, to int) bool {
	for _, words := range [...][]byte{lineBefore(text, from), lineAfter(text, to)} {
		previous := ""
		for word := range bytes.FieldsSeq(words) {
			name := strings.ToLower(strings.Trim(string(word), marks))
			switch {
			case name == "chpasswd", isPairName(name), name == "in" && (strings.HasPrefix(previous, "log") || strings.HasPrefix(previous, "sign")):
				return true
			}
			previous = name
		}
	}
	return false
}

// isAsPassword reports a value after which "as the password" follows, or a command that reads
// a password.
func isAsPassword(text []byte, to int) bool {
	after := bytes.TrimLeft(lineAfter(text, to), marks+" ")
	if bytes.HasPrefix(after, []byte("|")) && (bytes.Contains(after, []byte("sudo -S")) || bytes.Contains(after, []byte("password-stdin"))) {
		return true
	}
	words := bytes.Fields(after)
	return len(words) > 2 && string(words[0]) == "as" &&
		(nameClassOf(bytes.Trim(words[1], marks)) == passwordName || nameClassOf(bytes.Trim(words[2], marks)) == passwordName)
}

// leastStrong is the shortest password that is strong, in bytes.
const leastStrong = 8

// isPassword reports a value that can only be a password where a text calls it one: it is
// strong, or of letters and digits that read as nothing.
func isPassword(value string, quoted bool) bool {
	if isStrong(value) {
		return quoted || !isCompound(value)
	}
	return len(value) >= leastValue && hasDigit(value) && only(value, isPlain) && !readsAsWords(value) && !only(value, isHexAnyCase)
}

// isStrong reports a value that can only be a secret: digits and letters
// with a sign among them, or of both cases.
func isStrong(value string) bool {
	upper, lower, digit, sign := false, false, false, false
	for i := range len(value) {
		switch c := value[i]; {
		case isUpper(c):
			upper = true
		case isLower(c):
			lower = true
		case isDigit(c):
			digit = true
		case strings.IndexByte("!@#$%^&*+=~,;|?", c) >= 0:
			sign = true
		}
	}
	return digit && (upper || lower) && (sign || upper && lower) && !strings.ContainsAny(value, "/\\")
}

// isShortPassword reports a value that is a password even where it is short: a word of small
// letters and a number of four digits and more, as people choose them, or random letters.
func isShortPassword(value string) bool {
	word := strings.TrimRight(value, "0123456789")
	return len(word) >= 4 && len(value)-len(word) >= 4 && only(word, isLower) || isScrambled(value)
}

// leastScrambled is the shortest row of letters that can be seen to be random, in bytes.
const leastScrambled = 10

// isScrambled reports letters that change case at every second of them, which names do not.
func isScrambled[text string | []byte](value text) bool {
	changes := 0
	for i := 1; i < len(value); i++ {
		if isUpper(value[i]) != isUpper(value[i-1]) {
			changes++
		}
	}
	return len(value) >= leastScrambled && 2*changes >= len(value) && only(string(value), isLetter)
}

// isCompound reports words with numbers that dashes or dots join, such as SHA256-hashed and
// settings.Smtp2.
func isCompound(value string) bool {
	if !strings.ContainsAny(value, "-_.") {
		return readsAsWords(value)
	}
	for part := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == '-' || c == '_' || c == '.' }) {
		word := strings.TrimRight(part, "0123456789")
		if !only(word, isLetter) || len(part)-len(word) > 4 {
			return false
		}
	}
	return true
}

// fillers are the words of passwords that are made up to be read, or that everybody tries first.
const fillers = " password passwd passwrd passw passphrase passcode pass pwd pw secret secrets token key keys user username admin administrator root guest test tests testing tester" +
	" demo dev local default welcome qwerty letmein postgres postgresql mysql mariadb redis mongo mongodb rabbitmq rabbit amqp oracle sa app db database docker minio keycloak elastic" +
	" grafana jenkins airflow odoo nextcloud wordpress drupal django rails flask symfony laravel homestead vagrant super some your the my our new old very strong secure long change" +
	" changeit me this is a an it not real api hash salt value string random initial temp temporary enter type any min max least characters chars at with in of for and or on to" +
	" client server service account login sample example dummy fake placeholder here unique phrase put wrong invalid incorrect valid good bad weak first" +
	" second other another master encryption encrypted plain text plaintext abc abcd abcde asdf foo bar baz qux hello world mock insecure" +
	" word words please use be safe must should set more less than one two foobared "

// triedFirst are the words of passwords that documentation shows, and that everybody knows.
const triedFirst = " correct horse battery staple john alice bob jane doe scott tiger gopher lennon swordfish "

// longestFiller is the length of the longest of them.
const longestFiller = 14

// maxFiller is how long a password of such words is at most, in bytes.
const maxFiller = 64

// madeOfWords reports a password of nothing but fillers, numbers and signs,
// with letters that look like those they stand for: p@ssw0rd, Str0ng!Passw0rd1, and base64 of them.
func madeOfWords(text string) bool {
	if plain, err := base64.StdEncoding.DecodeString(text); err == nil && len(text) > leastValue && only(string(plain), isPrintable) {
		text = string(plain)
	}
	text = strings.ToLower(text)
	if text = strings.Trim(text, "0123456789!@#$%^&*()._-+=?~"); text == "" {
		return true
	}
	if len(text) > maxFiller {
		return false
	}
	plain := strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s").Replace(text)
	for part := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if !isRowOfFillers(part) && !isRowOfFillers(strings.ReplaceAll(part, "l", "i")) {
			return false
		}
	}
	return true
}

// isRowOfFillers reports a row of letters that parts into fillers.
func isRowOfFillers(text string) bool {
	known := ofFillers()
	ends := make([]bool, len(text)+1) // where a filler ends that begins where one ends
	ends[0] = true
	for from := range len(text) {
		for to := from + 1; ends[from] && to <= min(len(text), from+longestFiller); to++ {
			ends[to] = ends[to] || known[text[from:to]]
		}
	}
	return ends[len(text)]
}

// Sets of words, made once.
var (
	ofFillers = sync.OnceValue(func() map[string]bool { return setOf(fillers + triedFirst) })
	ofTexts   = sync.OnceValue(func() map[string]bool { return setOf(fillers + aboutPasswords) })
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func isPrintable(c byte) bool { return c >= ' ' && c < 0x7F }

// runsOn reports a text most of which counts up or repeats, such as abcdef123456 and a1b2c3d4.
func runsOn(text string) bool {
	var letters, digits []byte
	for i := range len(text) {
		switch c := text[i]; {
		case isLetter(c):
			letters = append(letters, c|0x20)
		case isDigit(c):
			digits = append(digits, c)
		}
	}
	return countsUp([]byte(strings.ToLower(text))) || len(letters) > 2 && len(digits) > 2 && countsUp(letters) && countsUp(digits)
}

// countsUp reports that most bytes are the one before or the next one.
func countsUp(text []byte) bool {
	n := 0
	for i := 1; i < len(text); i++ {
		if step := int(text[i]) - int(text[i-1]); step == 1 || step == 0 {
			n++
		}
	}
	return 10*n >= 7*len(text)
}

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
