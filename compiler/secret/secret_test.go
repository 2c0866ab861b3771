package secret

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
)

// Made-up secrets are put together here, so that no scanner reports this file as
// one that leaks some.
var (
	letters  = "q7Zk2mXw9Rt4Lp8Vb3Nc6Hd1Jf5Gs0Ty"
	keyLines = strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"+letters[:12]+"\n", 3)
	webToken = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiI0MiJ9" + "." + letters
)

func TestSecretKinds(t *testing.T) {
	for text, want := range map[string]string{
		"-----BEGIN RSA PRIVATE " + "KEY-----\n" + keyLines + "-----END RSA PRIVATE KEY-----\nrest":             kindPrivateKey,
		"-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + keyLines:                                                 kindPrivateKey,
		`{"private_key": "-----BEGIN PRIVATE ` + `KEY-----\n` + strings.ReplaceAll(keyLines, "\n", `\n`) + `"}`: kindPrivateKey,
		"id AK" + "IAQ7ZK2MXW9RT4LP8V here":                                                                     kindAWS,
		"ghp" + "_" + letters + "abcd":                                                                          kindGitHub,
		"(gho" + "_" + letters + "abcd)":                                                                        kindGitHub,
		"github" + "_pat_" + letters[:11] + "_" + letters:                                                       kindGitHub,
		"https://ghs" + "_" + letters + "abcd@github.com":                                                       kindGitHub,
		`"a\nghp` + "_" + letters + `abcd"`:                                                                     kindGitHub,
		"xo" + "xb-123456789012-" + letters:                                                                     kindSlack,
		"sk" + "-" + letters:                                                                                    kindOpenAI,
		"sk" + "-proj-" + letters + "_" + letters:                                                               kindOpenAI,
		"AI" + "za" + letters + "abc":                                                                           kindGoogle,
		"bearer " + webToken:                                                                                    kindJWT,
		"password = \"" + letters[:14] + "\"":                                                                   kindPassword,
		"DB_PASSWORD=" + letters[:14]:                                                                           kindPassword,
		"clientSecret: '" + letters[:14] + "'":                                                                  kindAssigned,
		"**API key:** `" + letters[:14] + "`":                                                                   kindAssigned,
		"github_token := " + letters[:14]:                                                                       kindAssigned,
		"The password: hunter2hunter2.":                                                                         kindPassword,
		"passwd: \"kettlelantern" + "meadowpiano\"":                                                             kindPassword,
		"```\ntoken: " + letters[:14] + "\n```":                                                                 kindAssigned,
		"https://x.example/v1?api_key=" + letters:                                                               kindAssigned,
	} {
		hits := Find([]byte(text))
		if len(hits) != 1 || hits[0].Kind != want {
			t.Errorf("%q: got %+v, want one %s", text, hits, want)
			continue
		}
		h := hits[0]
		if len([]rune(h.Shown)) > 4 || !strings.HasPrefix(text[h.Start:], h.Shown) {
			t.Errorf("%q shows %q", text, h.Shown)
		}
	}
}

func TestPlaceholdersAreNoSecrets(t *testing.T) {
	for _, text := range []string{
		"AK" + "IAIOSFODNN7EXAMPLE",
		"ghp" + "_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"Keys begin with `-----BEGIN PRIVATE KEY-----`.",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nYOURPRIVATEKEYGOESHERE\n-----END PRIVATE KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + keyLines,
		"sk-fading-circle-12-of-24-parts",
		"task-0123456789abcdefghij",
		"password: your-password-here",
		"password: <your password>",
		"password: ************",
		"password: changeme12345",
		"token: ${GITHUB_TOKEN_2}",
		"token: ${{ secrets.TOKEN_42 }}",
		"token = os.environ['TOKEN_12345']",
		"secret: /run/secrets/db_password1",
		"token: https://x.example/a1b2c3d4e5",
		"secret: documentation",
		"token: claim-unsourced-v2",
		"secret: \"a long sentence with 12 words\"",
		"api_key: aaaaaaaaaaaaaaaa",
		"token_estimate: 123456789012",
		"max tokens: 200000000000",
		"password: short1",
		"token: 202601011230",
		"secret: config/prod.yaml",
		"The token: it holds sixteen characters",
		"see https://x.example/selfsched?sstoken=" + letters,
		"[link](https://x.example/l/" + webToken + ")",
		"eyJhbGciOiJub25lIn0.short.x",
		"The password was changed on 2026-03-01T12:00:00Z.",
		"key(sha256.New, password, plaintextSHA256)",
		"sign(privateKey, SHA256WithRSA)",
		"the token OAuth2Authentication",
		"password (at least 12Characters)",
		"CACHE_KEY=user-profile-v2",
		"key: string = 'value-of-12'",
	} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%q: got %+v", text, hits)
		}
	}
}

func TestSecretRangesHoldTheWholeSecret(t *testing.T) {
	key := "-----BEGIN PRIVATE " + "KEY-----\n" + keyLines + "-----END PRIVATE KEY-----"
	text := "before\n" + key + "\nafter"
	h := Find([]byte(text))[0]
	if text[h.Start:h.End] != key {
		t.Errorf("range is %q", text[h.Start:h.End])
	}
	long := "token: " + strings.Repeat(letters, 100)
	if h := Find([]byte(long))[0]; h.End != len(long) {
		t.Errorf("a long secret ends at %d of %d", h.End, len(long))
	}
}

func TestTokensBrokenByMarkupAreFound(t *testing.T) {
	half := letters[:16]
	for _, broken := range []string{
		"ghp" + `\_` + letters,
		"ghp" + "&#95;" + letters,
		"ghp" + "&lowbar;" + letters,
		"github" + `\_pat\_` + half + `\_` + half,
		"xoxb" + `\-123456789012\-` + half,
		"ghp" + "_" + half + "**" + half + "**" + half,
		"ghp" + "_" + half + "<!-- x -->" + half,
		"ghp" + "_" + half + "<b>" + half,
		"ghp" + "_" + half + "\u200b" + half,
		"ghp" + "_](k.md)" + half + half,
		"ghp" + "_" + half + "](<k.md>)[" + half,
		"ghp" + "_" + half + "](k.md?" + strings.Repeat("x", 1000) + ")" + half,
		"ghp" + "_" + half + "][ref]" + half,
		"ghp" + "_" + half + "]][[k|" + half,
		"ghp" + "_" + half + "[[documents/k#Part|" + half,
		"ghp" + "_" + half + "`" + half,
		"ghp" + "_" + half + "~~" + half + "~~" + half,
		"ghp" + "_" + half + "\u0301" + half,
		"ghp" + "_" + "&#48;" + half + half,
		"ghp" + "_" + "&#x30;" + half + "&#X31;" + half,
		"&#103;hp" + "_" + half + half,
		"&#x41;KI" + "AQYLPMN5HHZ3KX2WT",
		"AK" + "IA&#81;YLPMN5HHZ3KX2WT",
		"AK" + "IA&#81;YLPMN&shy;5HHZ3KX2WT",
		"sk" + "&#x2D;" + half + "\u00ad" + half,
	} {
		text := "A **" + broken + "** b"
		hits := Find([]byte(text))
		if end := len(text) - len("** b"); len(hits) != 1 || hits[0].Start != len("A **") || hits[0].End != end && text[hits[0].End:end] != "**"+half {
			t.Errorf("%q: got %+v", text, hits)
			continue
		}
		if got := Redact(text); strings.Contains(got, half) || len([]rune(hits[0].Shown)) > 4 {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for _, text := range []string{
		`ghp\_`, "ghp\\_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp" + `\_` + half + " " + half, "sk*", "gh<", "gh<!--", "gh&#95", "AK" + `\` + "IAQ7ZK2MXW9RT4LP8V",
		"`skill-files` *and* skip", "ghp" + "_[a-zA-Z0-9]{36}", "[sk-](x.md) and [pk-](y.md)", "sk-[[k|ill]] [[k|abc]]", "[sk](https://example.org/" + half + half + ")", "AK" + "IA&#81; YLPMN5HHZ3KX2WT", `sk\-fading\-circle\-12\-of\-24\-and\-more`,
	} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%q: got %+v", text, hits)
		}
	}
}

// The work stays in proportion to the text, however often a token seems to begin.
func TestBeginningsOfBrokenTokensCostLittle(t *testing.T) {
	for _, part := range []string{"sk*", "gh<a>", "sk[", "sk](a)", "sk[[k|", "gh&#48;", "&#115;k", "gh<!--", "gh[[", "gh](", "sk&#45;", `sk\_`} {
		s := scan{text: []byte(strings.Repeat(part, 1<<20/len(part))), forms: indexed()}
		for i := 0; i < len(s.text); {
			if isTokenByte(s.text[i]) {
				i = s.token(i)
			} else {
				i++
			}
		}
		if most := len(s.text) + spareBroken + maxBroken; s.spent > most {
			t.Errorf("%q: looked at %d bytes, want at most %d", part, s.spent, most)
		}
	}
}

func TestRedactionShowsFourCharacters(t *testing.T) {
	text := "a\nthe token: " + letters + " and ghp" + "_" + letters + "abcd end"
	if got, want := Redact(text), "a\nthe token: q7Zk… and ghp_… end"; got != want {
		t.Errorf("redacted is %q, want %q", got, want)
	}
	if got := Redact("plain"); got != "plain" {
		t.Errorf("plain text became %q", got)
	}
}

func TestPathsAreRedactedElementByElement(t *testing.T) {
	for name, want := range map[string]string{
		"documents/AK" + "IAQ7ZK2MXW9RT4LP8V.md":                     "documents/AKIA….md",
		"documents/ghp" + "_" + letters + "abcd/d.md":                "documents/ghp_…/d.md",
		"sources/password=hunter2" + "hunter2XX.txt":                 "sources/password=hunt….txt",
		"documents/token.md":                                         "documents/token.md",
		"wiki/api-key-rotation-2026.md":                              "wiki/api-key-rotation-2026.md",
		"sources/sk-fading-circle-12-of-24.png":                      "sources/sk-fading-circle-12-of-24.png",
		"sources/0f3b9c2d7e5a4b1f8c6d9e0a1b2c3d4e5f60718293a4b5.txt": "sources/0f3b9c2d7e5a4b1f8c6d9e0a1b2c3d4e5f60718293a4b5.txt",
		"": "",
	} {
		if got := RedactPath(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}

// What a text itself calls a password, and is one beyond doubt, is known, with the range
// of the value alone.
func TestNamedPasswordsAreKnown(t *testing.T) {
	const pass, random = "Tr0ub4dor&3xyz", "q7Zk2mXw9Rt4Lp8V"
	checkOnly(t, true, map[string]string{
		"password: " + pass:                                pass,
		"password: " + pass + "\nuser: app":                pass,
		"PASSWORD=aB3,dE5;fG7|hI9&x":                       "aB3,dE5;fG7|hI9&x",
		"password = aB3,dE5;fG7|hI9, user = app":           "aB3,dE5;fG7|hI9",
		"user=app&password=" + pass + "&next=1":            pass,
		"Password=" + random + ";Database=shop":            random,
		"Server=db1;Pwd=" + pass + ";Initial Catalog=shop": pass,
		"(password: " + random + ")":                       random,
		"password: aB3(dE5)fG7!hI9":                        "aB3(dE5)fG7!hI9",
		"Passwort: " + pass:                                pass,
		"密码：" + pass:                                       pass,
		"DB_PASSWORD_PROD=" + pass:                         pass,
		"smtp_pass: " + pass:                               pass,
		"| Password | " + pass + " | of the test system |": pass,
		"|password|" + pass + "|x|":                        pass,
		"<db.password>" + random + "</db.password>":        random,
		"mysqldump --password " + pass + " shop":           pass,
		"machine x.example login app password " + pass:     pass,
		"redis://:" + random + "@cache:6379/0":             random,
		"url = \"amqp://app:" + random + "@mq/vhost\"":     random,
		"The password is " + pass + ".":                    pass,
		"requirepass " + pass:                              pass,
		"define('DB_PASSWORD', '" + pass + "');":           pass,
		"source.setPassword(\"" + pass + "\");":            pass,
		"CREATE USER app IDENTIFIED BY '" + pass + "'":     pass,
		"ALTER ROLE app WITH PASSWORD '" + pass + "'":      pass,
		"<td>Password</td><td>" + pass + "</td>":           pass,
		"Password – " + pass:                               pass,
		"密码是 " + pass:                                      pass,
		"Пароль: " + pass:                                  pass,
		"password: |\n  " + pass + "\nuser: app":           pass,
		"password: >-\n  " + pass:                          pass,
		"let password: &str = \"" + pass + "\";":           pass,

		// Short ones, words between, columns, and names beside a value.
		"password: kL9" + "!mN2bVc":                                         "kL9" + "!mN2bVc",
		"password: Hunt3r" + "!! and more":                                  "Hunt3r" + "!!",
		"The password is: " + pass:                                          pass,
		"The password of the second router is " + pass + ".":                pass,
		"The root password was changed to " + pass + " in May.":             pass,
		"Das Passwort für den Drucker lautet " + pass:                       pass,
		"If it asks for a passcode, type " + pass + ".":                     pass,
		"Its password (currently " + pass + ") is new.":                     pass,
		"| User | Password |\n| --- | --- |\n| root | `" + pass + "` |":     pass,
		"| Password | User |\n|:--|--:|\n| " + pass + " | root |":           pass,
		"- name: DB_PASSWORD\n  value: " + pass:                             pass,
		`<add key="SmtpPassword" value="` + pass + `"/>`:                    pass,
		"mysql -u root -p" + pass + " shop":                                 pass,
		"sshpass -p '" + pass + "' ssh x":                                   pass,
		"ldap_bind_pw: " + pass:                                             pass,
		"postgres://till:hunter2" + "secret@till-db/sales":                  "hunter2" + "secret",
		"Clone https://build:herbstlaub77@git.corp.io/x.git":                "herbstlaub77",
		"{\n  \"password\":\n    \"" + pass + "\"\n}":                       pass,
		"| User | Password (new) |\n| --- | --- |\n| root | " + pass + " |": pass,
	})
}

// Values that may be secrets are guesses, with the range of the value alone.
func TestGuessedSecrets(t *testing.T) {
	const pass, random = "Tr0ub4dor&3xyz", "q7Zk2mXw9Rt4Lp8V"
	basic := base64.StdEncoding.EncodeToString([]byte("app:" + pass))
	checkOnly(t, false, map[string]string{
		"curl -u app:" + pass + " https://x.example":                                     pass,
		"postgres://app:" + pass + "@db.example.com:5432/shop":                           pass,
		"postgresql+psycopg://app:s%3Acr7t@db/shop":                                      "s%3Acr7t",
		"mongodb+srv://app:" + random + "@c.mongodb.example/shop":                        random,
		"Authorization: Bearer " + random + letters:                                      random + letters,
		"curl -H 'authorization: token " + letters + "'":                                 letters,
		`"Authorization": "Bearer ` + letters + `"`:                                      letters,
		"Authorization: Basic " + basic:                                                  basic,
		"Use the header `Bearer " + letters + "`.":                                       letters,
		"X-Api-Key: " + letters:                                                          letters,
		"secret_key_base: " + strings.Repeat("3f1c9a7be05d", 8):                          strings.Repeat("3f1c9a7be05d", 8),
		"https://a.blob.core.windows.net/c/b?sp=r&sig=" + letters + letters[:11] + "%3D": letters + letters[:11] + "%3D",
		webToken:                webToken,
		"ENV API_KEY " + random: random,
		"const apiKey: string = '" + random + "'": random,
		"SHOP_KEY=" + random:                      random,
		"_auth=" + basic:                          basic,

		// Arguments of calls, and passwords that may be words.
		`page.getByLabel("Password").fill("` + pass + `")`:         pass,
		`client.login("bob", "` + pass + `")`:                      pass,
		"The API token is " + letters + ".":                        letters,
		"The API token is 3f1c9a7be05d3f1c9a7be05e.":               "3f1c9a7be05d3f1c9a7be05e",
		"| Name | Token |\n| --- | --- |\n| a | " + letters + " |": letters,
		"https://bob:pa#ss" + "W0rd9@git.example.com/x":            "pa#ss" + "W0rd9",
	})
}

// checkOnly fails the test unless each text holds one secret, the one it is given with.
func checkOnly(t *testing.T, known bool, texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		hits := Find([]byte(text))
		if len(hits) != 1 || hits[0].Known != known || text[hits[0].Start:hits[0].End] != want {
			t.Errorf("%q: got %+v, want %q, known %v", text, hits, want, known)
		}
	}
}

// What a program, a table or a sentence says about passwords is not a secret.
func TestTextAboutPasswordsHoldsNone(t *testing.T) {
	for _, text := range []string{
		`GetByLabel("Password").FillAsync("secret-password")`,
		`getByLabel("Password").fill("P@ssw0rd123!")`,
		"password = $row->passwd_2;",
		"password ?? config.Default2!",
		"The password is SHA256-hashed.",
		"The password is Base64-encoded with UTF-8.",
		"The password of the account is changed in Windows11Pro.",
		"A password. The version is 4.2.1-RC3!",
		"Wrong password: 3Attempts left",
		"password: MyStr0ng!Passw0rd",
		"password: !ChangeMe!",
		"password: abcdefgh12345678",
		"apt passwd 1:4.13+dfsg1-1+deb12u1",
		"postgres://user:p4ssw0rd!@localhost/x",
		"| Password | Rule |\n| --- | --- |\n| length | 12+Characters |",
		"| Field | Password |\n| --- | --- |\n| b | at least 8Letters! |",
		"| Bypass | Time |\n| --- | --- |\n| kL9!mN2bVc | 3 |",
		"bypass: kL9!mN2bVc",
		"https://meet.example.com/j/98765432101?pwd=5zsASZ3RaR",
		"you have to pass --enable-gui=Gtk3!",
		"the hashed password: $argon2id$v=19$m=65536,t=3,p=4$wagCPXjifgvUFBzq4hqe3w",
		"--password Pass@Word1",
		"--master-user-password A1b2c3d4",
		"password: 'bm90IG15IHJlYWwgcGFzc3dvcmQ='",
		`"ClientToken": "5236cffc-ee13-4a32-bb5b-388d9da09d96"`,
		`"encryptionKey": "arn:aws:kms:us-west-2:123456789012:alias/aws/s3"`,
	} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%q: got %+v", text, hits)
		}
	}
}

// A provider's token is found however little there is in it; one of a character or
// two over and over is a guess.
func TestTokensOfLowEntropyAreFound(t *testing.T) {
	for token, known := range map[string]bool{
		"ghp" + "_" + strings.Repeat("a", 36):                                                false,
		"ghp" + "_" + strings.Repeat("a1", 18):                                               false,
		"ghp" + "_" + strings.Repeat("a1B2c3", 6):                                            true,
		"ghp" + "_" + "0000000" + letters[:29]:                                               true,
		"ghp" + "_" + "abcdefghijklmnopqrstuvwxyz0123456789":                                 true,
		"npm" + "_" + "abcdefghijklmnopqrstuvwxyzabcdefghij":                                 true,
		"npm" + "_" + strings.Repeat("1", 36):                                                false,
		"AK" + "IA" + "AAAAAAA" + "QZ7KMXW9R":                                                true,
		"AK" + "IA" + strings.Repeat("A", 16):                                                false,
		"sk" + "-" + strings.Repeat("abcdefgh", 6):                                           true,
		"glpat" + "-" + strings.Repeat("a", 20):                                              false,
		"xox" + "b-1111111111-" + strings.Repeat("a", 24):                                    true,
		"https://hooks.slack" + ".com/services/T1111111/B1111111/" + strings.Repeat("b", 24): true,
	} {
		hits := Find([]byte("It is " + token + ", or was."))
		if len(hits) != 1 || hits[0].Known != known {
			t.Errorf("%q: got %+v, want one, known %v", token, hits, known)
		}
	}
}

// A token that a name or a header announces is what it is.
func TestAKnownTokenIsNoGuess(t *testing.T) {
	token := "ghp" + "_" + letters + "abcd"
	for _, text := range []string{"password: " + token, "GITHUB_TOKEN=" + token, "Authorization: Bearer " + token, "https://app:" + token + "@x.example", "--token " + token} {
		if hits := Find([]byte(text)); len(hits) != 1 || !hits[0].Known || hits[0].Kind != kindGitHub {
			t.Errorf("%q: got %+v", text, hits)
		}
	}
}

// What is published keeps its guesses.
func TestOnlyKnownSecretsAreCutFromWhatIsPublished(t *testing.T) {
	text := "token: " + letters[:14] + " and ghp" + "_" + letters + "abcd"
	if got, want := RedactKnown(text), "token: "+letters[:14]+" and ghp_…"; got != want {
		t.Errorf("published is %q, want %q", got, want)
	}
	if got, want := Redact(text), "token: q7Zk… and ghp_…"; got != want {
		t.Errorf("quoted is %q, want %q", got, want)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"password: " + letters, "-----BEGIN PRIVATE " + "KEY-----\n" + keyLines, webToken, "a\\nsk" + "-" + letters, "gh" + `p\_` + letters, "sk" + "&#45;a<b>*\u200b" + letters, "api key = '", "?token=" + letters,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hits := Find([]byte(text))
		for _, h := range hits {
			if h.Start < 0 || h.End > len(text) || h.Start >= h.End || len([]rune(h.Shown)) > 4 {
				t.Errorf("hit is %+v", h)
			}
		}
		if once := Redact(text); Redact(once) != once && len(Find([]byte(once))) > len(hits) {
			t.Errorf("redacting %q again finds more", once)
		}
		RedactKnown(text)
		RedactPath(text)
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat("The token is a word: see [the page](https://x.example/a?b=c). Keys = values, as in name: value.\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}

func TestEveryFormHasItsAlphabetAndCondition(t *testing.T) {
	lines := 0
	for line := range strings.Lines(formatLines) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			lines++
			if f := formats()[lines-1]; f.prefix != fields[0] || f.kind == "" || f.of == nil || f.least < 1 || strconv.Itoa(f.most) != fields[2] || (f.fits == nil) != (fields[4] == "-") {
				t.Errorf("this line is not read as a form: %s", line)
			}
		}
	}
	if n := len(formats()); n != lines || n < 150 {
		t.Errorf("%d forms in %d lines", n, lines)
	}
}
