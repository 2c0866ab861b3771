package secret

import (
	"strings"
	"testing"
)

// Made-up secrets are put together here, so that no scanner takes this file for
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
		"id AK" + "IAQ7ZK2MXW9RT4LP8V here":                                                                     kindCloudKey,
		"ghp" + "_" + letters + "abcd":                                                                          kindGitToken,
		"(gho" + "_" + letters + "abcd)":                                                                        kindGitToken,
		"github" + "_pat_" + letters[:11] + "_" + letters:                                                       kindGitToken,
		"https://ghs" + "_" + letters + "abcd@github.com":                                                       kindGitToken,
		`"a\nghp` + "_" + letters + `abcd"`:                                                                     kindGitToken,
		"xo" + "xb-123456789012-" + letters:                                                                     kindChatToken,
		"sk" + "-" + letters:                                                                                    kindAPIKey,
		"sk" + "-proj-" + letters + "_" + letters:                                                               kindAPIKey,
		"AI" + "za" + letters + "abc":                                                                           kindAPIKey,
		"bearer " + webToken:                                                                                    kindJWT,
		"password = \"" + letters[:14] + "\"":                                                                   kindAssigned,
		"DB_PASSWORD=" + letters[:14]:                                                                           kindAssigned,
		"clientSecret: '" + letters[:14] + "'":                                                                  kindAssigned,
		"**API key:** `" + letters[:14] + "`":                                                                   kindAssigned,
		"github_token := " + letters[:14]:                                                                       kindAssigned,
		"The password: hunter2hunter2.":                                                                         kindAssigned,
		"passwd: \"correcthorse" + "batterystaple\"":                                                            kindAssigned,
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
		"`skill-files` *and* skip", `sk\-fading\-circle\-12\-of\-24\-and\-more`,
	} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%q: got %+v", text, hits)
		}
	}
}

// The work stays in proportion to the text, however often a token seems to begin.
func TestBeginningsOfBrokenTokensCostLittle(t *testing.T) {
	for _, part := range []string{"sk*", "gh<a>", "sk&#45;", `sk\_`} {
		s := scan{text: []byte(strings.Repeat(part, 1<<20/len(part)))}
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
		"sources/" + webToken + ".txt":                               "sources/eyJh….txt",
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
