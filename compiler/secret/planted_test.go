package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Alphabets of made-up tokens.
const (
	digits   = "0123456789"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexes    = "0123456789abcdef"
	alnums   = capitals + smalls + digits
	words    = alnums + "_-"
	base64s  = alnums + "+/"
)

// maker makes up tokens. They are put together when the test runs, so that no scanner
// reports this file as one that leaks them.
type maker struct{ *rand.Rand }

func (m maker) of(n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

// word is of URL-safe characters and neither begins nor ends with a sign.
func (m maker) word(n int) string { return m.of(1, alnums) + m.of(n-2, words) + m.of(1, alnums) }

func (m maker) uuid() string {
	return m.of(8, hexes) + "-" + m.of(4, hexes) + "-4" + m.of(3, hexes) + "-a" + m.of(3, hexes) + "-" + m.of(12, hexes)
}

// planted are tokens in the formats of many providers, by kind.
func (m maker) planted() map[string][]string {
	claims := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	jwt := func(payload string) string {
		return claims(`{"alg":"HS256","typ":"JWT"}`) + "." + claims(payload) + "." + m.word(43)
	}
	key := func(label string) string {
		return "-----BEGIN " + label + "PRIVATE " + "KEY-----\n" + m.of(64, base64s) + "\n" + m.of(64, base64s) + "\n-----END " + label + "PRIVATE " + "KEY-----"
	}
	return map[string][]string{
		kindAWS:                            {"AK" + "IA" + m.of(15, capitals) + "7", "AS" + "IA" + m.of(15, capitals) + "2"},
		"AWS secret access key":            {"aws_secret" + "_access_key = " + m.of(39, base64s) + "7"},
		"AWS Bedrock key":                  {"ABSK" + "QmVkcm9ja0FQSUtleS" + m.of(90, base64s)},
		"Amazon MWS token":                 {"amzn" + ".mws." + m.uuid()},
		kindGoogle:                         {"AI" + "za" + m.of(34, words) + "k"},
		"Google OAuth secret":              {"GOC" + "SPX-" + m.word(28)},
		"Google OAuth token":               {"ya" + "29." + m.word(60) + "7", "1/" + "/0" + m.word(60) + "7"},
		"Alibaba Cloud key id":             {"LT" + "AI5t" + m.of(18, alnums)},
		"Tencent Cloud key id":             {"AK" + "ID" + m.of(32, alnums)},
		"Yandex Cloud key":                 {"AQ" + "VN" + m.word(36)},
		kindOcean:                          {"do" + "p_v1_" + m.of(64, hexes), "do" + "o_v1_" + m.of(64, hexes)},
		"Heroku key":                       {"HR" + "KU-" + m.uuid()},
		kindFly:                            {"fm" + "2_" + m.of(120, base64s), "fo" + "1_" + m.word(43)},
		"Vercel Blob token":                {"vercel" + "_blob_rw_" + m.of(16, alnums) + "_" + m.of(32, alnums)},
		kindNetlify:                        {"nf" + "p_" + m.of(40, alnums)},
		"Render API key":                   {"rn" + "d_" + m.of(28, alnums)},
		"Pulumi token":                     {"pu" + "l-" + m.of(40, hexes)},
		kindVault:                          {"hv" + "s." + m.word(95), "hv" + "b." + m.word(140)},
		kindDoppler:                        {"dp" + ".pt." + m.of(43, alnums)},
		"1Password token":                  {"op" + "s_eyJ" + m.of(300, alnums)},
		"age secret key":                   {"AGE-SECRET" + "-KEY-1" + m.of(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")},
		kindTailscale:                      {"ts" + "key-auth-k" + m.of(8, alnums) + "CNTRL-" + m.of(31, alnums) + "7"},
		kindGitHub:                         {"gh" + "p_" + m.of(36, alnums), "gh" + "o_" + m.of(36, alnums), "gh" + "s_" + m.of(36, alnums), "github" + "_pat_" + m.of(22, alnums) + "_" + m.of(59, alnums)},
		kindGitLab:                         {"gl" + "pat-" + m.word(20), "gl" + "dt-" + m.word(20), "gl" + "rt-" + m.word(20), "GR" + "1348941" + m.word(20), "gl" + "ptt-" + m.of(40, hexes)},
		kindAtlassian:                      {"AT" + "ATT3xFfGF0" + m.word(180) + "=" + m.of(8, hexes)},
		"Bitbucket app password":           {"AT" + "BB" + m.of(32, alnums)},
		"Sourcegraph token":                {"sg" + "p_" + m.of(40, hexes)},
		"Buildkite token":                  {"bk" + "ua_" + m.of(40, hexes)},
		kindCircleCI:                       {"CCI" + "PAT_" + m.of(22, alnums) + "_" + m.of(40, hexes)},
		"npm token":                        {"np" + "m_" + m.of(36, alnums)},
		kindPyPI:                           {"py" + "pi-AgEIcHlwaS5vcmc" + m.word(130)},
		"RubyGems API key":                 {"ruby" + "gems_" + m.of(48, hexes)},
		"NuGet API key":                    {"oy" + "2" + m.of(43, smalls+digits)},
		"crates.io token":                  {"ci" + "o" + m.of(32, alnums)},
		kindDocker:                         {"dckr" + "_pat_" + m.word(27)},
		kindJFrog:                          {"AK" + "Cp" + m.of(69, alnums)},
		kindSonar:                          {"sq" + "u_" + m.of(40, hexes)},
		"Postman API key":                  {"PM" + "AK-" + m.of(24, hexes) + "-" + m.of(34, hexes)},
		kindAnthropic:                      {"sk" + "-ant-api03-" + m.word(93) + "AA"},
		kindOpenAI:                         {"sk" + "-proj-" + m.of(74, alnums) + "T3BlbkFJ" + m.of(74, alnums), "sk" + "-or-v1-" + m.of(64, hexes)},
		"Groq API key":                     {"gs" + "k_" + m.of(52, alnums)},
		"xAI API key":                      {"xa" + "i-" + m.of(80, alnums)},
		"Perplexity API key":               {"pp" + "lx-" + m.of(48, alnums)},
		"Replicate token":                  {"r8" + "_" + m.of(37, alnums)},
		kindHugging:                        {"hf" + "_" + m.of(34, capitals+smalls)},
		kindLangSmith:                      {"lsv2" + "_pt_" + m.of(32, hexes) + "_" + m.of(10, hexes)},
		"Pinecone API key":                 {"pc" + "sk_" + m.of(6, alnums) + "_" + m.of(60, alnums)},
		"NVIDIA API key":                   {"nv" + "api-" + m.word(64)},
		"Tavily API key":                   {"tv" + "ly-dev-" + m.of(32, alnums)},
		kindSupabase:                       {"sb" + "p_" + m.of(40, hexes), jwt(`{"iss":"supabase","ref":"abcdefghijklmnopqrst","role":"service_role","iat":1700000000}`)},
		kindPlanet:                         {"pscale" + "_tkn_" + m.word(43), "pscale" + "_pw_" + m.word(43)},
		"Databricks token":                 {"da" + "pi" + m.of(32, hexes)},
		"Aiven password":                   {"AV" + "NS_" + m.word(19)},
		"Airtable token":                   {"pa" + "t" + m.of(14, alnums) + "." + m.of(64, hexes)},
		kindContentful:                     {"CF" + "PAT-" + m.word(43)},
		kindSlack:                          {"xo" + "xb-" + m.of(12, digits) + "-" + m.of(12, digits) + "-" + m.of(24, alnums), "xo" + "xp-" + m.of(11, digits) + "-" + m.of(32, hexes), "xa" + "pp-1-A" + m.of(10, digits) + "-" + m.of(64, hexes)},
		kindSlackHook:                      {"https://hooks.slack" + ".com/services/T" + m.of(10, capitals) + "/B" + m.of(10, capitals) + "/" + m.of(24, alnums)},
		kindDiscordHook:                    {"https://discord" + ".com/api/webhooks/" + m.of(19, digits) + "/" + m.word(68)},
		"Teams webhook":                    {"https://contoso.webhook.office" + ".com/webhookb2/" + m.uuid() + "@" + m.uuid() + "/IncomingWebhook/" + m.of(32, hexes) + "/" + m.uuid()},
		"Discord bot token":                {"MT" + m.of(24, alnums) + "." + m.of(6, alnums) + "." + m.of(38, alnums)},
		"Telegram bot token":               {m.of(9, "123456789") + ":A" + "A" + m.word(33)},
		"SendGrid API key":                 {"SG" + "." + m.word(22) + "." + m.word(43)},
		"Twilio API key id":                {"SK" + m.of(32, hexes)},
		"Mailgun API key":                  {"key" + "-" + m.of(32, hexes)},
		"Mailchimp API key":                {m.of(32, hexes) + "-us" + "21"},
		kindBrevo:                          {"xkey" + "sib-" + m.of(64, hexes) + "-" + m.of(16, alnums)},
		"Resend API key":                   {"re" + "_" + m.of(8, alnums) + "_" + m.of(24, alnums)},
		kindHubSpot:                        {"pat" + "-na1-" + m.uuid()},
		kindStripe:                         {"sk" + "_live_" + m.of(24, alnums), "rk" + "_live_" + m.of(24, alnums), "wh" + "sec_" + m.of(32, alnums)},
		kindSquare:                         {"sq0" + "atp-" + m.word(22), "EA" + "AA" + m.word(60)},
		kindShopify:                        {"sh" + "pat_" + m.of(32, hexes), "sh" + "pss_" + m.of(32, hexes)},
		"Braintree token":                  {"access_token" + "$production$" + m.of(16, smalls+digits) + "$" + m.of(32, hexes)},
		kindPlaid:                          {"access" + "-production-" + m.uuid()},
		"Facebook token":                   {"EA" + "A" + m.of(170, alnums)},
		kindNewRelic:                       {"NR" + "AK-" + m.of(27, capitals+digits), m.of(36, hexes) + "NR" + "AL"},
		kindGrafana:                        {"gl" + "sa_" + m.of(32, alnums) + "_" + m.of(8, hexes), "gl" + "c_" + m.of(120, base64s) + "7"},
		kindSentry:                         {"sn" + "tryu_" + m.of(64, hexes)},
		kindDynatrace:                      {"dt0" + "c01." + m.of(24, capitals+digits) + "." + m.of(64, capitals+digits)},
		"PostHog API key":                  {"ph" + "x_" + m.of(43, alnums)},
		kindLinear:                         {"lin" + "_api_" + m.of(40, alnums)},
		"Notion token":                     {"nt" + "n_" + m.of(11, digits) + m.of(35, alnums), "secret" + "_" + m.of(43, alnums)},
		kindFigma:                          {"fi" + "gd_" + m.word(40)},
		kindMapbox:                         {"sk" + ".eyJ" + m.of(70, alnums) + "." + m.word(22)},
		"Adobe client secret":              {"p8" + "e-" + m.of(32, alnums)},
		"Dropbox token":                    {"sl" + "." + m.word(135)},
		"Terraform Cloud token":            {m.of(14, alnums) + ".atlas" + "v1." + m.of(67, alnums)},
		"Entra ID client secret":           {m.of(3, alnums) + "8Q" + "~" + m.of(34, alnums)},
		kindAzure:                          {"Account" + "Key=" + m.of(86, base64s) + "==", "Shared" + "AccessKey=" + m.of(43, base64s) + "=", m.of(52, alnums) + "JQQ" + "J99B" + m.of(25, alnums)},
		"Kubernetes service account token": {jwt(`{"iss":"kubernetes/serviceaccount","sub":"system:serviceaccount:prod:deployer"}`)},
		kindPrivateKey:                     {key("RSA "), key("OPENSSH "), key("EC "), key(""), key("ENCRYPTED "), "client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key("RSA ")))},
	}
}

// planters put a token into a text, as people leave them.
var planters = map[string]string{
	"alone":          "%s",
	"prose":          "Ask for %s, or wait.\n",
	"code span":      "- The key is `%s`.\n",
	"export":         "export SOME_VALUE=%s\n",
	"YAML":           "server:\n  value: %s # of production\n",
	"JSON":           `{"value": "%s", "next": 1}`,
	"JSON in a line": `"first\n%s\nlast"`,
	"query":          "https://x.example/a?key=%s&b=c\n",
	"table":          "| key | %s |\n",
	"bold":           "**%s**\n",
	"comment":        "<!-- %s -->\n",
	"header":         "X-Value: %s\r\n",
	"fence":          "```sh\nrun %s\n```\n",
	"secret by name": "api_token = '%s'\n",
}

// A token in a provider's format is an error wherever it is found.
func TestPlantedTokensAreFound(t *testing.T) {
	const least = 100
	for seed := range uint64(20) {
		n := 0
		for kind, tokens := range (maker{rand.New(rand.NewPCG(seed, 4))}).planted() {
			for _, token := range tokens {
				n++
				for name, form := range planters {
					checkPlanted(t, name, form, kind, token)
				}
			}
		}
		if n < least {
			t.Fatalf("%d tokens are planted, want %d", n, least)
		}
		if seed == 0 {
			t.Logf("%d tokens in %d places each", n, len(planters))
		}
	}
}

func checkPlanted(t *testing.T, name, form, kind, token string) {
	t.Helper()
	text := fmt.Sprintf(form, token)
	secretPart := token[strings.LastIndexAny(token[:min(len(token)/2, 40)], " =")+1:] // without the name of an assignment
	secretPart = strings.TrimPrefix(strings.TrimPrefix(secretPart, "https://"), "contoso.")
	for _, h := range Find([]byte(text)) {
		if h.Known && h.Kind == kind && strings.Contains(text[h.Start:h.End], secretPart) {
			return
		}
	}
	t.Errorf("%s: no %s in %q: %+v", name, kind, text, Find([]byte(text)))
}

// The kinds of formats.txt that tests name.
const (
	kindAWS         = "AWS access key id"
	kindAnthropic   = "Anthropic API key"
	kindGitHub      = "GitHub token"
	kindGitLab      = "GitLab token"
	kindGoogle      = "Google API key"
	kindSlack       = "Slack token"
	kindStripe      = "Stripe API key"
	kindOpenAI      = "API key"
	kindAtlassian   = "Atlassian token"
	kindHubSpot     = "HubSpot token"
	kindSquare      = "Square token"
	kindVault       = "Vault token"
	kindDoppler     = "Doppler token"
	kindNetlify     = "Netlify token"
	kindGrafana     = "Grafana token"
	kindSentry      = "Sentry token"
	kindPlanet      = "PlanetScale token"
	kindShopify     = "Shopify token"
	kindDocker      = "Docker Hub token"
	kindLinear      = "Linear API key"
	kindOcean       = "DigitalOcean token"
	kindFly         = "Fly.io token"
	kindBrevo       = "Brevo API key"
	kindLangSmith   = "LangSmith API key"
	kindCircleCI    = "CircleCI token"
	kindTailscale   = "Tailscale key"
	kindPyPI        = "PyPI token"
	kindHugging     = "Hugging Face token"
	kindDynatrace   = "Dynatrace token"
	kindPlaid       = "Plaid token"
	kindFigma       = "Figma token"
	kindSonar       = "SonarQube token"
	kindJFrog       = "JFrog token"
	kindMapbox      = "Mapbox secret token"
	kindContentful  = "Contentful token"
	kindSlackHook   = "Slack webhook"
	kindDiscordHook = "Discord webhook"
)
