package secret

import (
	"bytes"
	"strings"
)

// leastValue is the shortest value of an assignment that may be a secret, in
// bytes (agent-knowledge section 18.4).
const leastValue = 12

// maxName is how far back an assignment's name is read, in bytes, and maxValue
// how much of its value is judged.
const (
	maxName  = 64
	maxValue = 128
)

// assignment looks at a sign of some bytes, such as "=" or ":", with a name before
// it that means a secret, and returns where to continue. The value is looked at again
// for tokens with a form.
func (s *scan) assignment(at, width int) int {
	raw, start := assignedName(s.text, at)
	if len(raw) == 0 || s.text[at] == '>' && (start == 0 || s.text[start-1] != '<') {
		return at + width
	}
	name := squeeze(raw)
	inQuery := start > 0 && (s.text[start-1] == '?' || s.text[start-1] == '&')
	class := nameClassOf(raw)
	switch {
	case class == noName && name == "value":
		class = paired(s.text, start)
	case class == noName && name == "pass":
		class = passwordName
	case class == noName && s.text[at] == '=':
		class = typed(s.text, start)
	}
	switch {
	case strings.HasSuffix(name, "authorization"):
		s.header(at + width)
	case name == "auth":
		s.credentials("basic", run(s.text, at+width, 8, func(c byte) bool { return strings.IndexByte(" \t\"'", c) >= 0 }))
	case class == noName && isKeyName(raw, inQuery):
		if from, to, _ := assignedValue(s.text, at+width, s.text[at]); to-from >= leastKey && isStrong(string(s.text[from:to])) {
			s.valueAt(at+width, name, tokenName, s.text[at])
		}
	case inQuery && name == "sig":
		s.signature(at + width)
	case class == noName:
		s.pair(name, at+width, s.text[at])
	case inQuery && (name == "pwd" || isLinkToken(name)): // of a link that is made to be passed on
	case class == tokenName && start > 0 && s.text[start-1] == ':': // of an address such as arn:aws:…:secret:name
	case class == tokenName && start > 0 && afterPublic(s.text[:start]):
	default:
		s.valueAt(at+width, name, class, s.text[at])
	}
	return at + width
}

// isLinkToken reports a token that does one thing for whoever has the link, and does not let
// its bearer into a service.
func isLinkToken(name string) bool {
	head, ok := strings.CutSuffix(name, "token")
	return ok && head != "" && !strings.HasSuffix(head, "access") && !strings.HasSuffix(head, "auth") && !strings.HasSuffix(head, "api") && !strings.HasSuffix(head, "private")
}

// typed returns the class of the name before the type of a declaration, as in
// "key: string = …"; start is where the type begins.
func typed(text []byte, start int) nameClass {
	at := start
	for at > 0 && start-at < 4 && strings.IndexByte(" &*", text[at-1]) >= 0 {
		at--
	}
	if at == 0 || text[at-1] != ':' {
		return noName
	}
	name, _ := assignedName(text, at-1)
	return nameClassOf(name)
}

// paired returns the class of the name that is given beside a value, as in
// key="SmtpPassword" value="…" and in the list of variables of a container; start is
// where the word "value" begins.
func paired(text []byte, start int) nameClass {
	floor := max(0, start-maxName)
	end := start
	for end > floor && strings.IndexByte(" \t\r\n\"',-", text[end-1]) >= 0 {
		end--
	}
	name, at := assignedName(text, end)
	for at > floor && strings.IndexByte(" \t\"'", text[at-1]) >= 0 {
		at--
	}
	if at == floor || text[at-1] != '=' && text[at-1] != ':' {
		return noName
	}
	return nameClassOf(name)
}

// leastKey is the shortest value of a variable such as SHOP_KEY that may be a secret.
const leastKey = 16

// isKeyName reports the name of an environment variable for a key, or the parameter of an
// address.
func isKeyName(name []byte, inQuery bool) bool {
	return inQuery && string(name) == "key" || bytes.HasSuffix(name, []byte("_KEY")) && !bytes.HasSuffix(name, []byte("PUBLIC_KEY")) && only(string(name), func(c byte) bool { return isCapital(c) || c == '_' })
}

// afterPublic reports a text that ends in "public" or "public key": what everybody
// may know is not a secret.
func afterPublic(before []byte) bool {
	before = bytes.TrimRight(bytes.ToLower(before[max(0, len(before)-16):]), " ")
	return bytes.HasSuffix(bytes.TrimSuffix(before, []byte(" key")), []byte("public"))
}

// signature looks at the signature of a shared access signature of Azure.
func (s *scan) signature(from int) {
	end := run(s.text, from, maxValue, func(c byte) bool { return isBase64(c) || c == '%' })
	value := string(s.text[from:end])
	if padded := strings.HasSuffix(value, "%3D") || strings.HasSuffix(value, "%3d") || strings.HasSuffix(value, "="); padded && len(value) >= 44 && mixed(value) {
		s.add(kindSignature, false, from, end)
	}
}

// valueAt judges the value after the name of a secret. sign is what parts the two. What a
// text itself calls a password, and is one beyond doubt, is known to be a secret.
func (s *scan) valueAt(from int, name string, class nameClass, sign byte) {
	begin := from
	from, to, quoted := assignedValue(s.text, from, sign)
	value := s.text[from:to]
	if kind := knownValue(name, string(value)); kind != "" {
		if !isPublished(value) && !saysPlaceholder(string(value)) {
			s.add(kind, true, from, to)
		}
		return
	}
	text := string(value)
	strong := len(value) >= leastFor(class, text) && !isPlaceholderValue(text, quoted, class)
	if from < s.guessed || !strong && !isWeak(text, name, class, placeOf(s.text, begin, from, to, quoted, sign)) || isPublished(value) || isCut(s.text[to:]) {
		return
	}
	if to-from >= maxValue-1 {
		to = s.blankAfter(to)
	}
	kind := kindAssigned
	if class == passwordName {
		kind = kindPassword
	}
	s.add(kind, strong && class == passwordName && isPassword(text, quoted), from, to)
	s.guessed = max(s.guessed, to)
}

// leastFor returns how long a value is at least: people choose short passwords.
func leastFor(class nameClass, value string) int {
	if class == passwordName && (isStrong(value) || isShortPassword(value)) {
		return leastStrong
	}
	return leastValue
}

// isCut reports a text that begins with dots: what is before it continues elsewhere.
func isCut(after []byte) bool {
	return bytes.HasPrefix(after, []byte("...")) || bytes.HasPrefix(after, []byte("…"))
}

// blankAfter returns the offset of the first blank from an offset on. Offsets
// ascend, so the text is walked once.
func (s *scan) blankAfter(at int) int {
	if at < s.blank {
		return s.blank
	}
	for at < len(s.text) && !isBlank(s.text[at]) {
		at++
	}
	s.blank = at
	return at
}

// knownValue returns the kind of a value that the name and the form together give
// away; "" for none.
func knownValue(name, value string) string {
	switch {
	case len(value) == 40 && (strings.HasSuffix(name, "secretaccesskey") || strings.Contains(name, "aws") && strings.Contains(name, "secret")):
		if only(value, isBase64) && mixed(value) && hasDigit(value) {
			return "AWS secret access key"
		}
	case len(value) == 88 && strings.HasSuffix(name, "accountkey"), len(value) == 44 && strings.HasSuffix(name, "sharedaccesskey"):
		if only(value, isBase64) && strings.HasSuffix(value, "=") {
			return kindAzure
		}
	}
	return ""
}

// assignedName reads the name before a sign, and where it starts. "API key" is
// one name.
func assignedName(text []byte, at int) (name []byte, start int) {
	end := at
	floor := max(0, at-maxName)
	for end > floor && strings.IndexByte(" \t\"'`*:", text[end-1]) >= 0 {
		end--
	}
	start = end
	for start > floor && inName(text[start-1]) {
		start--
	}
	if word := text[start:end]; start-1 > floor && text[start-1] == ' ' && bytes.EqualFold(word, []byte("key")) {
		for start--; start > floor && isTokenRest(text[start-1]); {
			start--
		}
	}
	return text[start:end], start
}

// inName reports a byte of a name, those of letters beyond ASCII included.
func inName(c byte) bool { return isDotted(c) || c >= 0x80 }

// squeeze returns a name in lower case without "_", "-", "." and blanks, and
// without what may follow the word for a secret, as in DB_PASSWORD_PROD.
func squeeze(name []byte) string {
	for range 3 {
		i := len(name) - 1
		for i > 0 && isPlain(name[i]) {
			i--
		}
		if i <= 0 || name[i] >= 0x80 || !isQualifier(strings.ToLower(string(name[i+1:]))) {
			break
		}
		name = name[:i]
	}
	for len(name) > 0 && isDigit(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	squeezed, ascii := make([]byte, 0, maxName), true
	for _, c := range name {
		ascii = ascii && c < 0x80
		switch {
		case isUpper(c):
			squeezed = append(squeezed, c|0x20)
		case isPlain(c) || c >= 0x80:
			squeezed = append(squeezed, c)
		}
	}
	if !ascii {
		return strings.ToLower(string(squeezed))
	}
	return string(squeezed)
}

// isQualifier reports a word that says which of several secrets is meant.
func isQualifier(word string) bool {
	switch strings.Trim(word, "0123456789") {
	case "", "prod", "production", "live", "test", "testing", "dev", "development", "staging", "stage", "qa", "local", "main", "primary", "secondary",
		"old", "new", "current", "previous", "base", "value", "default", "admin", "root", "user", "eu", "us", "v":
		return true
	}
	return false
}

// nameClass is what kind of secret a name means.
type nameClass uint8

const (
	noName       nameClass = iota
	passwordName           // chosen by a person: may be anything but a placeholder
	tokenName              // made by a machine: random
	pairName               // a user and a password
)

// The words for a password, and for secrets that machines make, with which the
// name of one ends.
var (
	passwordWords = [...]string{"password", "passwd", "passphrase", "passwort", "kennwort", "wachtwoord", "motdepasse", "contraseña", "senha", "passcode", "palavrapasse", "contrasena", "adgangskode", "passord", "salasana", "heslo", "jelszó", "parola",
		"hasło", "lösenord", "şifre", "khẩu", "密码", "密碼", "口令", "パスワード", "비밀번호", "пароль"}
	tokenWords = [...]string{"secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "accountkey", "signingkey", "encryptionkey", "masterkey", "authkey", "licensekey", "unsealkey", "密钥", "令牌"}
)

// Words before "token" or "key" that make something else of it: a place in a list
// of results, a piece of a text, a mark of a form, what everybody may know.
var otherTokens = [...]string{
	"public", "publickey", "csrf", "xsrf", "antiforgery", "verification", "next", "previous", "page", "nextpage", "paging", "continuation", "continue", "cursor", "skip", "resume", "sync", "delta", "change",
	"cancellation", "cancel", "stop", "start", "end", "begin", "eos", "bos", "pad", "padding", "sep", "cls", "mask", "unk", "special", "max", "min", "num", "new", "prompt", "input", "output", "total",
	"starting", "forward", "backward", "lock", "request", "workunit", "update", "product", "export", "import",
	"design", "color", "syntax", "lexer", "parser", "operator", "keyword", "idempotency", "site",
}

// classOf says what kind of secret a squeezed name means.
func classOf(name string) nameClass {
	switch name {
	case "pw", "pwd", "psk", "passe", "requirepass", "dbpass", "smtppass", "mysqlpass", "mailpass", "ftppass", "userpass", "rootpass", "adminpass", "dbpwd", "userpwd", "clave", "secretkeybase":
		return passwordName
	case "clienttoken": // of a request, so that it is done once
		return noName
	}
	if len(name) < len("token") {
		return noName
	}
	last := name[len(name)-1]
	for _, end := range passwordWords {
		if end[len(end)-1] == last && strings.HasSuffix(name, end) {
			return passwordName
		}
	}
	for _, end := range tokenWords {
		if end[len(end)-1] != last {
			continue
		}
		head, ok := strings.CutSuffix(name, end)
		if !ok {
			continue
		}
		for _, other := range otherTokens {
			if strings.HasSuffix(head, other) {
				return noName
			}
		}
		return tokenName
	}
	return noName
}

// nameClassOf says what kind of secret a name as it is written means. "pass" and "pw" mean
// a password after "_", "-" or ".": "bypass" and "compass" mean none.
func nameClassOf(raw []byte) nameClass {
	class := classOf(squeeze(raw))
	if last := bytes.LastIndexAny(raw, "_-."); class == noName && last > 0 {
		if word := string(bytes.ToLower(raw[last+1:])); word == "pass" || word == "pw" || word == "pwd" {
			return passwordName
		}
	}
	return class
}

// assignedValue returns the range of the value after a sign and whether quotation
// marks hold it. A quoted text with blanks is prose, and empty.
func assignedValue(text []byte, at int, sign byte) (from, to int, quoted bool) {
	limit := min(len(text), at+maxValue)
	from = at
	for from < limit && (text[from] == ' ' || text[from] == '\t') {
		from++
	}
	if from = afterLineEnd(text, at, from); from > limit-maxValue/2 {
		limit = min(len(text), from+maxValue)
	}
	if from < limit && (text[from] == '|' || text[from] == '>') {
		from = inBlock(text, from)
		limit = min(len(text), from+maxValue)
	}
	for from < limit && strings.IndexByte(" \t=>*:", text[from]) >= 0 {
		from++
	}
	if from < limit && (text[from] == '"' || text[from] == '\'' || text[from] == '`') {
		mark := text[from]
		from++
		for to = from; to < limit && text[to] != mark; to++ {
			if isBlank(text[to]) {
				return from, from, true
			}
		}
		return from, to, true
	}
	for to = from; to < limit && !endsValue(text, to, sign); to++ {
	}
	for to > from && strings.IndexByte(".,;|:*?\\", text[to-1]) >= 0 {
		to--
	}
	return from, trimClosers(text, from, to), false
}

// afterLineEnd returns where a quoted value on the next line begins, as JSON and code with a
// line for each value have it; from itself where there is none. at is the offset after the sign.
func afterLineEnd(text []byte, at, from int) int {
	if at < 2 || from >= len(text) || text[from] != '\n' || text[at-1] != '=' && (text[at-1] != ':' || text[at-2] != '"') {
		return from
	}
	next := run(text, from, maxName, isBlank)
	if next < len(text) && (text[next] == '"' || text[next] == '\'') {
		return next
	}
	return from
}

// inBlock returns where the text of a block of YAML begins whose mark is at an
// offset; the offset itself when there is no block.
func inBlock(text []byte, at int) int {
	end := run(text, at+1, 2, func(c byte) bool { return c == '-' || c == '+' || isDigit(c) })
	if end < len(text) && text[end] == '\n' {
		return run(text, end+1, 32, isBlank)
	}
	return at
}

// endsValue reports whether a value without quotation marks ends before an offset:
// at a blank, a quotation mark, markup, or at a separator after which the next
// field begins. A separator alone may be part of a password.
func endsValue(text []byte, at int, sign byte) bool {
	switch c := text[at]; c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`':
		return true
	case '<':
		return sign == '>' || at+1 < len(text) && (isLetter(text[at+1]) || text[at+1] == '/')
	case '\\':
		return at+1 < len(text) && strings.IndexByte("nrt\"'", text[at+1]) >= 0
	case '|':
		return sign == '|' || beginsField(text, at+1)
	case ',', ';', '&':
		return beginsField(text, at+1)
	}
	return false
}

// beginsField reports whether a name and a sign of assignment follow, as in
// "Initial Catalog=", or nothing.
func beginsField(text []byte, at int) bool {
	const longest = 48
	limit := min(len(text), at+longest)
	for at < limit && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at >= limit || isBlank(text[at]) || strings.IndexByte("\"'`", text[at]) >= 0 {
		return true
	}
	if !isLetter(text[at]) && text[at] != '_' && text[at] != '$' {
		return false
	}
	for at < limit && (isDotted(text[at]) || text[at] == ' ' || text[at] == '$') {
		at++
	}
	return at < limit && (text[at] == '=' || text[at] == ':')
}

// trimClosers drops brackets at the end of a value that do not open in it.
func trimClosers(text []byte, from, to int) int {
	for to > from {
		i := strings.IndexByte(")]}>", text[to-1])
		if i < 0 || bytes.IndexByte(text[from:to], "([{<"[i]) >= 0 {
			return to
		}
		for to--; to > from && strings.IndexByte(".,;:*", text[to-1]) >= 0; {
			to--
		}
	}
	return to
}

// A value that a name announces without a sign between them is looked for back from
// a word with a digit in it, or with letters that change case, of which prose has few: maxBack bytes to where the
// value begins, and as many to the name.
const maxBack = 48

// announced looks before a word for the name of a secret that only blanks, quotation
// marks, brackets, tags, a verb or a few words part from it, as in "the password is S3cr…",
// setPassword("S3cr…"), "requirepass S3cr…" and "the password of the router is S3cr…".
// Prose names passwords often, so the value has to be one beyond doubt, or is a guess.
func (s *scan) announced(i int) {
	from := i
	for from > 0 && i-from < maxBack && !isBlank(s.text[from-1]) && !opensValue(s.text, from) {
		from--
	}
	if i-from == maxBack || from == s.seen {
		return
	}
	s.seen = from
	start, to, _ := assignedValue(s.text, from, ' ')
	value := string(s.text[start:to])
	class := noName
	if isBeyondDoubt(value) {
		class = classAnnounced(s.text, from)
	}
	switch {
	case class == noName:
		s.argument(from)
		if s.mayBeNamed(from, start, to) {
			s.chosen(from, start, to)
		}
	case class == tokenName && len(value) < leastKey && !quotedAt(s.text, from):
	case hasInnerDigit(value) || hasAllKinds(value) || !readsAsWords(value) && !isCompound(value):
		s.valueAt(from, "", class, ' ')
	}
}

// mayBeNamed reports a value that is worth looking at as a password: a name that may be of one
// is before it, or what makes one of it is beside it. Most words of a text are not.
func (s *scan) mayBeNamed(from, start, to int) bool {
	value := s.text[start:to]
	return s.named >= from-maxBefore || precedesName(s.text, to) || bytes.IndexByte(value, ':') > 0 && !bytes.Contains(value, []byte(":/")) || bytes.HasSuffix(s.text[:from], []byte("/ "))
}

// precedesName reports what may continue as "as the password" or as the next command.
func precedesName(text []byte, at int) bool {
	after := bytes.TrimLeft(text[at:min(len(text), at+4)], "\"'` ")
	return bytes.HasPrefix(after, []byte("as")) || bytes.HasPrefix(after, []byte("|"))
}

// chosen looks at a value that people may have chosen as a password, in a sentence that names
// a password before or after it, or a user beside it. from is where it begins, start and to are
// its range.
func (s *scan) chosen(from, start, to int) {
	if start < s.guessed || to-start < leastChosen {
		return
	}
	if n := userBefore(s.text[start:to]); n > 0 {
		if !isPaired(s.text, from, start+n, to) {
			return
		}
		start += n
	} else if !isNamed(s.text, from, start, to) {
		return
	}
	if !isPublished(s.text[start:to]) {
		s.add(kindPassword, false, start, to)
		s.guessed = to
	}
}

// classAnnounced returns the class of the name before a value, or of one in the sentence.
func classAnnounced(text []byte, from int) nameClass {
	class := classBefore(text, from)
	if class == noName {
		class = classInSentence(text, from)
	}
	if class == tokenName && bytes.Contains(lineBefore(text, from), []byte("ublic")) {
		return noName // of a public key
	}
	return class
}

// isBeyondDoubt reports a value that prose has for no other reason.
func isBeyondDoubt(value string) bool {
	return isStrong(value) || isRandom(value) || isShortPassword(value)
}

// isRare reports a word of which prose has few.
func isRare(word []byte) bool {
	for _, c := range word {
		if isDigit(c) {
			return true
		}
	}
	return len(word) <= maxBack && isScrambled(word)
}

// isMarked reports a word that dashes, capitals, quotation marks, signs or a verb make a likely
// value, where a sentence names passwords.
func isMarked(text []byte, i, end int) bool {
	joints := 0
	for n, c := range text[i:end] {
		if c == '-' || n > 0 && isUpper(c) && isLower(text[i+n-1]) {
			joints++
		}
	}
	return joints > 1 || quotedAt(text, i) || joinsWords(text, end) || isSaid(text, i, end)
}

// joinsWords reports a sign at an offset that prose does not have between letters.
func joinsWords(text []byte, at int) bool {
	return at+1 < len(text) && strings.IndexByte("!#$%&+", text[at]) >= 0 && isLetter(text[at+1])
}

// isSaid reports a word that ends a sentence of which the verb is right before it, as in
// "the password is dragonfly".
func isSaid(text []byte, i, end int) bool {
	before := text[max(0, i-5):i]
	if !bytes.HasSuffix(before, []byte(" is ")) && !bytes.HasSuffix(before, []byte(" was ")) {
		return false
	}
	if end < len(text) && text[end] == '.' {
		end++
	}
	return end >= len(text) || text[end] == '\n'
}

// hasInnerDigit reports a digit in place of a letter, and a sign: Rh4barb3r!
func hasInnerDigit(value string) bool {
	for i := 1; i+1 < len(value); i++ {
		if isDigit(value[i]) && isLetter(value[i-1]) && isLetter(value[i+1]) {
			return strings.ContainsAny(value, "!@#$%^&*+=~?")
		}
	}
	return false
}

// hasAllKinds reports letters of both cases, digits, and a sign between letters: Copper!Kettle26
func hasAllKinds(value string) bool {
	sign := strings.IndexAny(value, "!#$%&?")
	return sign > 0 && sign+1 < len(value) && isLetter(value[sign-1]) && isLetter(value[sign+1]) &&
		hasDigit(value) && hasUpper(value) && strings.ToUpper(value) != value
}

// opensValue reports a quotation mark or bracket before an offset.
func opensValue(text []byte, at int) bool {
	c := text[at-1]
	switch {
	case strings.IndexByte("\"'`(>", c) >= 0:
		return true
	case c < 0x80:
		return false
	}
	for _, mark := range [...]string{"\u201c", "\u201e", "\u2018", "\u00ab", "\u300c"} {
		if bytes.HasSuffix(text[:at], []byte(mark)) {
			return true
		}
	}
	return false
}

// quotedAt reports a quotation mark before an offset.
func quotedAt(text []byte, at int) bool { return at > 0 && strings.IndexByte("\"'`", text[at-1]) >= 0 }

// isRandom reports a long number of base 16 or 64, or a UUID, as keys are.
func isRandom(value string) bool {
	return isUUID(value) || len(value) >= 20 && strings.HasSuffix(value, "=") && only(value, isBase64) && mixed(value) || len(value) >= leastKey && only(value, isHex) && hasDigit(value) && strings.Trim(value, "0123456789") != ""
}

// classBefore returns the class of the name right before a value.
func classBefore(text []byte, from int) nameClass {
	at := beforeValue(text, from)
	if at == from || at == 0 {
		return noName
	}
	if bytes.ContainsAny(text[at:from], "(,") && !quotedAt(text, from) {
		return noName // arguments of a call, which are names
	}
	name, start := assignedName(text, at)
	class := nameClassOf(name)
	if lower := bytes.ToLower(name); class == noName && bytes.Equal(lower, []byte("by")) {
		if raw, _ := assignedName(text, start); bytes.EqualFold(raw, []byte("identified")) {
			class = passwordName
		}
	}
	return class
}

// beforeValue returns the offset after the name that may be before a value.
func beforeValue(text []byte, from int) int {
	at := from
	for at > 0 && from-at < maxBack {
		switch c := text[at-1]; {
		case c == ' ' || c == '\t' || strings.IndexByte("\"'`(,*", c) >= 0:
			at--
			continue
		case c == '>':
			open := bytes.LastIndexByte(text[max(0, at-16):at], '<')
			if open < 0 {
				return from
			}
			at = max(0, at-16) + open
			continue
		case c == '-' || c == 0x93 || c == 0x94: // a dash, the last byte of an en or em dash too
			before := text[:at]
			for _, dash := range [...]string{" -", " \u2013", " \u2014", "->"} {
				if bytes.HasSuffix(before, []byte(dash)) {
					return at - len(dash)
				}
			}
		}
		for _, verb := range [...]string{" is", " was", " ist", " est", " es", "\u662f", "\u4e3a"} {
			if bytes.HasSuffix(text[:at], []byte(verb)) {
				return at - len(verb)
			}
		}
		return at
	}
	return from
}
