package secret

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
)

// format is the form in which a provider writes its tokens: a prefix and what
// follows it. Lengths are those that the provider documents, or a little less
// where it says that they may change.
type format struct {
	kind   string
	prefix string
	least  int // bytes after the prefix
	most   int // the same; 0 means no limit
	of     alphabet
	fits   func(rest string) bool // what else must be true; nil is nothing
}

// The kinds that more than one form has.
const (
	kindAWS        = "AWS access key id"
	kindAnthropic  = "Anthropic API key"
	kindGitHub     = "GitHub token"
	kindGitLab     = "GitLab token"
	kindGoogle     = "Google API key"
	kindSlack      = "Slack token"
	kindStripe     = "Stripe API key"
	kindOpenAI     = "API key"
	kindAtlassian  = "Atlassian token"
	kindHubSpot    = "HubSpot token"
	kindSquare     = "Square token"
	kindVault      = "Vault token"
	kindDoppler    = "Doppler token"
	kindNetlify    = "Netlify token"
	kindGrafana    = "Grafana token"
	kindSentry     = "Sentry token"
	kindPlanet     = "PlanetScale token"
	kindShopify    = "Shopify token"
	kindNewRelic   = "New Relic key"
	kindDocker     = "Docker Hub token"
	kindLinear     = "Linear API key"
	kindOcean      = "DigitalOcean token"
	kindFly        = "Fly.io token"
	kindSupabase   = "Supabase key"
	kindBrevo      = "Brevo API key"
	kindLangSmith  = "LangSmith API key"
	kindCircleCI   = "CircleCI token"
	kindFlutter    = "Flutterwave key"
	kindEasyPost   = "EasyPost API key"
	kindTailscale  = "Tailscale key"
	kindPyPI       = "PyPI token"
	kindHugging    = "Hugging Face token"
	kindDynatrace  = "Dynatrace token"
	kindPlaid      = "Plaid token"
	kindAzure      = "Azure key"
	kindTypeform   = "Typeform token"
	kindFigma      = "Figma token"
	kindSonar      = "SonarQube token"
	kindJFrog      = "JFrog token"
	kindMapbox     = "Mapbox secret token"
	kindDuffel     = "Duffel token"
	kindShippo     = "Shippo token"
	kindContentful = "Contentful token"

	kindSlackHook   = "Slack webhook"
	kindDiscordHook = "Discord webhook"
)

// formats are the forms by prefix. A form whose prefix might begin an ordinary
// name asks for an exact length, for digits among the letters, or both.
func formats() []format {
	word, dotted := alphabet(isTokenRest), alphabet(isDotted)
	return []format{
		// Clouds and hosting.
		{kindAWS, "AKIA", 16, 16, isCapital, nil},
		{kindAWS, "ASIA", 16, 16, isCapital, hasDigit},
		{kindAWS, "ABIA", 16, 16, isCapital, hasDigit},
		{kindAWS, "ACCA", 16, 16, isCapital, hasDigit},
		{"AWS Bedrock key", "ABSKQmVkcm9ja0FQSUtleS", 60, 0, isBase64, nil},
		{"Amazon MWS token", "amzn.mws.", 36, 36, word, isUUID},
		{kindGoogle, "AIza", 35, 0, word, nil},
		{"Google OAuth secret", "GOCSPX-", 24, 0, word, nil},
		{"Google OAuth token", "ya29.", 30, 0, dotted, hasDigit},
		{"Google OAuth token", "1//0", 38, 0, word, hasDigit},
		{"Alibaba Cloud key id", "LTAI", 12, 26, isPlain, mixed},
		{"Tencent Cloud key id", "AKID", 32, 32, isPlain, mixed},
		{"Yandex Cloud key", "AQVN", 35, 38, word, mixed},
		{kindOcean, "dop_v1_", 64, 64, isHex, nil},
		{kindOcean, "doo_v1_", 64, 64, isHex, nil},
		{kindOcean, "dor_v1_", 64, 64, isHex, nil},
		{"Heroku key", "HRKU-", 36, 0, word, hasDigit},
		{kindFly, "fo1_", 40, 0, word, mixed},
		{kindFly, "fm1r_", 80, 0, isBase64, nil},
		{kindFly, "fm1a_", 80, 0, isBase64, nil},
		{kindFly, "fm2_", 80, 0, isBase64, nil},
		{"Vercel Blob token", "vercel_blob_rw_", 30, 0, word, nil},
		{kindNetlify, "nfp_", 36, 0, isPlain, mixed},
		{kindNetlify, "nfc_", 36, 0, isPlain, mixed},
		{kindNetlify, "nfo_", 36, 0, isPlain, mixed},
		{kindNetlify, "nfu_", 36, 0, isPlain, mixed},
		{"Render API key", "rnd_", 24, 0, isPlain, mixed},
		{"Pulumi token", "pul-", 40, 40, isHex, nil},
		{kindVault, "hvs.", 24, 0, word, mixed},
		{kindVault, "hvb.", 100, 0, word, nil},
		{kindVault, "hvr.", 24, 0, word, mixed},
		{kindDoppler, "dp.pt.", 40, 44, isPlain, nil},
		{kindDoppler, "dp.st.", 40, 0, dotted, nil},
		{kindDoppler, "dp.ct.", 40, 44, isPlain, nil},
		{kindDoppler, "dp.sa.", 40, 44, isPlain, nil},
		{kindDoppler, "dp.scim.", 40, 44, isPlain, nil},
		{kindDoppler, "dp.audit.", 40, 44, isPlain, nil},
		{"1Password token", "ops_eyJ", 200, 0, isBase64, nil},
		{"age secret key", "AGE-SECRET-KEY-1", 58, 58, isCapital, nil},
		{kindTailscale, "tskey-", 16, 0, word, hasDigit},

		// Code hosting, build services and package registries.
		{kindGitHub, "ghp_", 20, 0, isPlain, nil},
		{kindGitHub, "gho_", 20, 0, isPlain, nil},
		{kindGitHub, "ghu_", 20, 0, isPlain, nil},
		{kindGitHub, "ghs_", 20, 0, isPlain, nil},
		{kindGitHub, "ghr_", 20, 0, isPlain, nil},
		{kindGitHub, "github_pat_", 22, 0, isTokenByte, nil},
		{kindGitLab, "glpat-", 20, 0, dotted, nil},
		{kindGitLab, "gldt-", 20, 0, word, nil},
		{kindGitLab, "glrt-", 20, 0, dotted, nil},
		{kindGitLab, "glrtr-", 20, 0, dotted, nil},
		{kindGitLab, "glptt-", 40, 0, word, nil},
		{kindGitLab, "glft-", 20, 0, word, nil},
		{kindGitLab, "glimt-", 20, 0, word, nil},
		{kindGitLab, "glagent-", 40, 0, word, nil},
		{kindGitLab, "gloas-", 40, 0, word, nil},
		{kindGitLab, "glsoat-", 20, 0, word, nil},
		{kindGitLab, "glffct-", 20, 0, word, nil},
		{kindGitLab, "glcbt-", 16, 0, word, hasDigit},
		{kindGitLab, "GR1348941", 20, 20, word, nil},
		{kindAtlassian, "ATATT3", 60, 0, isBase64OrWord, nil},
		{kindAtlassian, "ATCTT3", 60, 0, isBase64OrWord, nil},
		{"Bitbucket app password", "ATBB", 32, 32, isPlain, mixed},
		{"Sourcegraph token", "sgp_", 40, 0, isTokenByte, hasDigit},
		{"Buildkite token", "bkua_", 40, 40, isHex, nil},
		{kindCircleCI, "CCIPAT_", 50, 0, isTokenByte, nil},
		{kindCircleCI, "CCIPRJ_", 50, 0, isTokenByte, nil},
		{"npm token", "npm_", 36, 36, isPlain, mixed},
		{kindPyPI, "pypi-AgE", 50, 0, word, nil},
		{kindPyPI, "pypi-", 85, 0, word, hasDigit},
		{"RubyGems API key", "rubygems_", 48, 48, isHex, nil},
		{"NuGet API key", "oy2", 43, 43, isSmall, nil},
		{"crates.io token", "cio", 32, 32, isPlain, mixed},
		{"Clojars token", "CLOJARS_", 60, 60, isHex, nil},
		{kindDocker, "dckr_pat_", 27, 0, word, nil},
		{kindDocker, "dckr_oat_", 27, 0, word, nil},
		{kindJFrog, "AKCp", 64, 0, isPlain, nil},
		{kindJFrog, "cmVmdGtu", 56, 56, isPlain, nil},
		{kindSonar, "squ_", 40, 40, isHex, nil},
		{kindSonar, "sqp_", 40, 40, isHex, nil},
		{kindSonar, "sqa_", 40, 40, isHex, nil},
		{"Postman API key", "PMAK-", 40, 0, word, hasDigit},
		{"Prefect API key", "pnu_", 36, 36, isPlain, mixed},

		// Models.
		{kindAnthropic, "sk-ant-", 32, 0, word, nil},
		{kindOpenAI, "sk-", 20, 0, word, hasLongPart},
		{"Groq API key", "gsk_", 40, 0, isPlain, mixed},
		{"xAI API key", "xai-", 60, 0, isPlain, mixed},
		{"Perplexity API key", "pplx-", 40, 0, isPlain, nil},
		{"Replicate token", "r8_", 37, 37, isPlain, mixed},
		{kindHugging, "hf_", 30, 40, isPlain, mixed},
		{kindHugging, "api_org_", 30, 40, isPlain, mixed},
		{"Together API key", "tgp_v1_", 40, 0, word, nil},
		{"Fireworks API key", "fw_", 22, 24, isPlain, mixed},
		{kindLangSmith, "lsv2_pt_", 40, 0, isTokenByte, nil},
		{kindLangSmith, "lsv2_sk_", 40, 0, isTokenByte, nil},
		{"Pinecone API key", "pcsk_", 50, 0, isTokenByte, mixed},
		{"NVIDIA API key", "nvapi-", 60, 0, word, nil},
		{"Cerebras API key", "csk-", 40, 0, isSmall, hasDigit},
		{"ElevenLabs API key", "sk_", 48, 48, isHex, nil},
		{"Tavily API key", "tvly-", 30, 0, word, mixed},
		{"Jina API key", "jina_", 50, 0, word, mixed},
		{"Firecrawl API key", "fc-", 32, 32, isHex, nil},
		{"Weights & Biases API key", "wandb_v1_", 40, 0, isTokenByte, nil},

		// Data.
		{kindSupabase, "sbp_", 40, 0, isTokenByte, hasDigit},
		{kindSupabase, "sb_secret_", 22, 0, word, mixed},
		{"Neon API key", "napi_", 60, 0, isSmall, hasDigit},
		{kindPlanet, "pscale_tkn_", 32, 0, dotted, nil},
		{kindPlanet, "pscale_pw_", 32, 0, dotted, nil},
		{kindPlanet, "pscale_oauth_", 32, 0, dotted, nil},
		{"MongoDB Atlas secret", "mdb_sa_sk_", 30, 0, word, mixed},
		{"Databricks token", "dapi", 32, 34, isHexOrDash, nil},
		{"dbt token", "dbtu_", 30, 0, word, mixed},
		{"Aiven password", "AVNS_", 19, 19, word, mixed},
		{"Airtable token", "pat", 79, 79, dotted, isAirtable},
		{kindContentful, "CFPAT-", 40, 0, word, nil},
		{"Sanity token", "sk", 160, 0, isPlain, mixed},

		// Messages and mail.
		{kindSlack, "xox", 12, 0, word, isSlack},
		{kindSlack, "xapp-", 20, 0, word, hasDigit},
		{kindSlackHook, "hooks.slack.com/services/", 30, 0, isPath, nil},
		{kindSlackHook, "hooks.slack.com/workflows/", 30, 0, isPath, nil},
		{kindSlackHook, "hooks.slack.com/triggers/", 30, 0, isPath, nil},
		{kindDiscordHook, "discord.com/api/webhooks/", 70, 0, isPath, nil},
		{kindDiscordHook, "discordapp.com/api/webhooks/", 70, 0, isPath, nil},
		{"Teams webhook", "webhook.office.com/webhookb2/", 100, 0, isTeamsPath, nil},
		{"Zapier webhook", "hooks.zapier.com/hooks/catch/", 10, 0, isPath, hasDigit},
		{"Feishu webhook", "open.feishu.cn/open-apis/bot/v2/hook/", 36, 36, word, isUUID},
		{"Lark webhook", "open.larksuite.com/open-apis/bot/v2/hook/", 36, 36, word, isUUID},
		{"WeCom webhook", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", 36, 36, word, isUUID},
		{"DingTalk webhook", "oapi.dingtalk.com/robot/send?access_token=", 64, 64, isHex, nil},
		{"SendGrid API key", "SG.", 60, 0, dotted, isSendGrid},
		{"Twilio API key id", "SK", 32, 32, isHex, nil},
		{"Mailgun API key", "key-", 32, 32, isHex, nil},
		{kindBrevo, "xkeysib-", 64, 0, word, nil},
		{kindBrevo, "xsmtpsib-", 64, 0, word, nil},
		{"Resend API key", "re_", 30, 36, isTokenByte, isResend},
		{"Mandrill API key", "md-", 22, 22, word, mixed},
		{kindHubSpot, "pat-na1-", 36, 36, word, isUUID},
		{kindHubSpot, "pat-na2-", 36, 36, word, isUUID},
		{kindHubSpot, "pat-eu1-", 36, 36, word, isUUID},
		{kindHubSpot, "pat-ap1-", 36, 36, word, isUUID},
		{"Facebook token", "EAA", 100, 0, isPlain, mixed},
		{"Klaviyo API key", "pk_", 34, 34, isHex, nil},

		// Payment and trade.
		{kindStripe, "sk_live_", 16, 0, isPlain, nil},
		{kindStripe, "rk_live_", 16, 0, isPlain, nil},
		{kindStripe, "sk_test_", 24, 0, isPlain, mixed},
		{kindStripe, "rk_test_", 24, 0, isPlain, mixed},
		{kindStripe, "whsec_", 32, 0, isBase64, mixed},
		{kindSquare, "sq0atp-", 22, 0, word, nil},
		{kindSquare, "sq0csp-", 40, 0, word, nil},
		{kindSquare, "EAAA", 60, 60, word, mixed},
		{kindShopify, "shpat_", 32, 32, isHexAnyCase, nil},
		{kindShopify, "shpca_", 32, 32, isHexAnyCase, nil},
		{kindShopify, "shppa_", 32, 32, isHexAnyCase, nil},
		{kindShopify, "shpss_", 32, 32, isHexAnyCase, nil},
		{"Braintree token", "access_token$production$", 40, 0, isDollarWord, nil},
		{kindPlaid, "access-sandbox-", 36, 36, word, isUUID},
		{kindPlaid, "access-development-", 36, 36, word, isUUID},
		{kindPlaid, "access-production-", 36, 36, word, isUUID},
		{kindFlutter, "FLWSECK-", 32, 0, word, hasDigit},
		{kindFlutter, "FLWSECK_TEST-", 32, 0, word, hasDigit},
		{"Mollie API key", "live_", 30, 30, isPlain, mixed},
		{kindDuffel, "duffel_live_", 40, 0, word, nil},
		{kindDuffel, "duffel_test_", 40, 0, word, nil},
		{kindEasyPost, "EZAK", 54, 54, isPlain, mixed},
		{kindEasyPost, "EZTK", 54, 54, isPlain, mixed},
		{kindShippo, "shippo_live_", 40, 40, isHex, nil},
		{kindShippo, "shippo_test_", 40, 40, isHex, nil},

		// Observability and tools.
		{kindNewRelic, "NRAK-", 27, 27, isCapital, nil},
		{kindNewRelic, "NRII-", 32, 0, word, nil},
		{kindGrafana, "glc_", 32, 0, isBase64, hasDigit},
		{kindGrafana, "glsa_", 40, 41, isTokenByte, hasDigit},
		{kindSentry, "sntrys_", 60, 0, isBase64OrWord, nil},
		{kindSentry, "sntryu_", 64, 64, isHex, nil},
		{kindDynatrace, "dt0c01.", 80, 0, dotted, nil},
		{kindDynatrace, "dt0s01.", 80, 0, dotted, nil},
		{"Honeycomb key", "hcaik_", 50, 0, isPlain, nil},
		{"LaunchDarkly SDK key", "sdk-", 36, 36, word, isUUID},
		{"PostHog API key", "phx_", 40, 0, isPlain, mixed},
		{kindLinear, "lin_api_", 32, 0, isPlain, nil},
		{kindLinear, "lin_oauth_", 32, 0, isPlain, nil},
		{"Notion token", "ntn_", 40, 0, isPlain, hasDigit},
		{"Notion token", "secret_", 43, 43, isPlain, mixed},
		{kindFigma, "figd_", 36, 0, word, mixed},
		{kindTypeform, "tfp_", 44, 0, dotted, mixed},
		{kindMapbox, "sk.eyJ", 60, 0, dotted, nil},
		{"Frame.io token", "fio-u-", 60, 0, word, mixed},
		{"ReadMe API key", "rdme_", 64, 0, isSmall, hasDigit},
		{"Scalingo token", "tk-us-", 44, 0, word, mixed},
		{"Adobe client secret", "p8e-", 32, 32, isPlain, mixed},
		{"Dropbox token", "sl.", 120, 0, dotted, mixed},
	}
}

func isBase64OrWord(c byte) bool { return isBase64(c) || isTokenRest(c) }
func isHexOrDash(c byte) bool    { return isHex(c) || c == '-' }
func isHexAnyCase(c byte) bool   { return isHex(c) || c >= 'A' && c <= 'F' }
func isPath(c byte) bool         { return isTokenRest(c) || c == '/' }
func isTeamsPath(c byte) bool    { return isPath(c) || c == '@' }
func isDollarWord(c byte) bool   { return isSmall(c) || c == '$' }

func hasDigit(rest string) bool { return strings.ContainsAny(rest, "0123456789") }

// mixed reports letters of both cases, or letters and digits: what a prefix of
// few letters needs for not being a word. Words joined in camel case are not.
func mixed(rest string) bool {
	upper, lower, digit := 0, 0, 0
	for i := range len(rest) {
		switch c := rest[i]; {
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		case isDigit(c):
			digit++
		}
	}
	if upper+lower == 0 {
		return different(rest, 3) < 3 // a row of one digit is judged later
	}
	return (digit > 0 || upper > 0 && lower > 0 || upper+lower >= 30) && !readsAsWords(rest)
}

// hasLongPart reports whether a token holds a part of 16 characters with digits
// among them, or one of 32 characters: "fading-circle-12-of-24" has none.
func hasLongPart(rest string) bool {
	for _, part := range strings.FieldsFunc(rest, func(c rune) bool { return c == '-' || c == '_' }) {
		if len(part) >= 32 || len(part) >= 16 && hasDigit(part) && strings.Trim(part, "0123456789") != "" {
			return true
		}
	}
	return false
}

func isSlack(rest string) bool {
	return strings.IndexByte("abeoprs", rest[0]) >= 0 && rest[1] == '-' && hasDigit(rest)
}

func isSendGrid(rest string) bool {
	id, key, ok := strings.Cut(rest, ".")
	return ok && len(id) >= 16 && len(key) >= 32
}

func isResend(rest string) bool {
	id, key, ok := strings.Cut(rest, "_")
	return ok && len(id) == 8 && len(key) >= 20 && mixed(rest)
}

func isAirtable(rest string) bool {
	id, key, ok := strings.Cut(rest, ".")
	return ok && len(id) == 14 && len(key) == 64 && only(key, isHex)
}

// formatIndex finds the forms that may begin with two bytes.
type formatIndex struct {
	lists [][]format
	at    [128 * 128]uint8 // of the two bytes: which list; 0 for none
}

var indexed = sync.OnceValue(func() *formatIndex {
	x := &formatIndex{lists: [][]format{nil}}
	list := formats()
	slices.SortStableFunc(list, func(a, b format) int {
		return cmp.Or(strings.Compare(a.prefix[:2], b.prefix[:2]), len(b.prefix)-len(a.prefix))
	})
	for len(list) > 0 {
		first := list[0].prefix[:2]
		n := slices.IndexFunc(list, func(f format) bool { return f.prefix[:2] != first })
		if n < 0 {
			n = len(list)
		}
		x.at[int(first[0])<<7|int(first[1])] = uint8(len(x.lists))
		x.lists = append(x.lists, list[:n:n])
		list = list[n:]
	}
	return x
})

// beginning returns the forms whose first two bytes a text begins with.
func (x *formatIndex) beginning(text []byte) []format {
	if len(text) < 2 || text[0] >= 128 || text[1] >= 128 {
		return nil
	}
	return x.lists[x.at[int(text[0])<<7|int(text[1])]]
}

// maxToken is how much of a token is judged, in bytes.
const maxToken = 512

// end returns where a token of this form ends that begins at an offset, 0 for none,
// and how far the text was looked at.
func (f *format) end(text []byte, at int) (end, far int) {
	from := at + len(f.prefix)
	if len(text) < from+f.least || !bytes.HasPrefix(text[at:], []byte(f.prefix)) {
		return 0, at
	}
	end = run(text, from, maxToken, f.of)
	far = end
	for end > from && (text[end-1] == '.' || text[end-1] == '-') {
		end-- // what ends a sentence
	}
	rest := text[from:end]
	switch {
	case len(rest) < f.least, f.most > 0 && len(rest) > f.most, f.most > 0 && end < len(text) && isTokenByte(text[end]):
		return 0, far
	case f.fits != nil && !f.fits(string(rest)):
		return 0, far
	}
	if len(rest) == maxToken {
		end = run(text, end, len(text), f.of)
	}
	return end, far
}

// distinct reports a prefix that begins no ordinary name, so that it means a token
// inside of a longer word too, such as the name of a file.
func (f *format) distinct() bool {
	return len(f.prefix) >= 6 || len(f.prefix) >= 4 && f.prefix[len(f.prefix)-1] != '-'
}
