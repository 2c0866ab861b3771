package sigstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// audience is whom an identity token must be made for.
const audience = "sigstore"

// maxToken is the largest answer with a token that is read, in bytes.
const maxToken = 64 << 10

// identityToken is the token that was given, otherwise one that the CI system is asked
// for.
func identityToken(ctx context.Context, q *signature.SignRequest) (string, error) {
	if q.Token != "" {
		return q.Token, nil
	}
	if q.TokenURL == "" {
		return "", diag.WithHint(errors.New("there is no key and no identity to sign with"),
			"name a key with --sign-key FILE; in CI, give the job an identity: permissions id-token: write on GitHub, id_tokens SIGSTORE_ID_TOKEN with aud: sigstore on GitLab")
	}
	token, err := askForToken(ctx, q)
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("ask the CI system for an identity token: %w", err), "give the job the permission id-token: write")
	}
	q.Token = token // so that it is in no message
	return token, nil
}

func askForToken(ctx context.Context, q *signature.SignRequest) (string, error) {
	at, err := url.Parse(q.TokenURL)
	if err != nil || at.Host == "" {
		return "", errors.New("its address cannot be read")
	}
	query := at.Query()
	query.Set("audience", audience)
	at.RawQuery = query.Encode()
	transport, err := transportOf(q.CA)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", errors.New("its address cannot be used")
	}
	req.Header.Set("Authorization", "Bearer "+q.TokenBearer)
	client := &http.Client{Transport: transport, Timeout: serverTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("%s does not answer", at.Host) // the error holds the whole address
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s", at.Host, res.Status)
	}
	var answer struct {
		Value string `json:"value"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxToken)).Decode(&answer); err != nil || answer.Value == "" {
		return "", fmt.Errorf("%s answers without a token", at.Host)
	}
	return answer.Value, nil
}
