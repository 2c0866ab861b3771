package secret

import "testing"

// Whether a value is one that people choose depends on how sure its place is.
func TestPasswordsThatPeopleChoose(t *testing.T) {
	const never = marked + 1
	for value, from := range map[string]place{
		"l3mon-107river":       anywhere, // letters swapped for digits
		"kestrel-otter-42":     anywhere, // words with a number
		"meadow4":              alone,
		"walnut-harbor-velvet": alone, // words that dashes join
		"WalnutHarborVelvet":   alone,
		"Walnut!Harbor":        alone,
		"qgQQCWA!":             alone, // random letters
		"walnut_harbor":        lined,
		"walnut.harbor":        lined,
		"dragonfly":            lined, // a word alone
		"walnut.json":          never,
		"required":             never,
		"case-sensitive":       never,
		"existing-secret":      never,
		"user_password_hash":   never,
		"bcrypt12":             never,
		"float64":              never,
		"$PASSWORD":            never,
		"aaaa1111":             never,
		"deadbeef":             lined,
	} {
		for at := anywhere; at <= marked; at++ {
			if got, want := isChosen(value, at), at >= from; got != want {
				t.Errorf("isChosen(%q, %d) = %v, want %v", value, at, got, want)
			}
		}
	}
}

// A weak password is a warning, never an error, and its range is that of the value alone.
func TestWeakPasswordsAreGuesses(t *testing.T) {
	for _, test := range []struct{ before, value, after string }{
		{"Use admin / ", "kestrel-otter-42", " to log in."},
		{"Log in as ops with ", "kestrel-otter-42", "."},
		{"The default credentials are clerk/", "kestrel-otter-42", "."},
		{"Grafana (admin:", "l3mon!107river", ") is on port 3000."},
		{"echo 'clerk:", "meadow81", "' | chpasswd"},
		{"echo \"", "l3mon-107river", "\" | sudo -S reboot"},
		{"3. Type ", "Meadow99!", " as the password and press Enter."},
		{"1. Connect.\n2. Password: ", "walnut-harbor-velvet", "\n3. Restart.\n"},
		{"The password for the till is `", "dragonfly", "`, ask first."},
		{"The till's password is ", "walnut", ".\n"},
		{"Wachtwoord: ", "dragonfly", "\n"},
		{"密码是 ", "l3mon_107river", "\n"},
		{"login: clerk\npassword: ", "dragonfly", "\n"},
		{"https://till.corp.io/board?token=", "kestrel-otter-42", ""},
		{"https://till.corp.io/feed?key=", "LhWu9ZjYZsrMJS5FdchG", ""},
		{"| User | Password |\n| --- | --- |\n| clerk | ", "dragonfly", " |\n"},
		{"<tr><th>User</th><th>Password</th></tr><tr><td>clerk</td><td>", "kestrel-otter-42", "</td></tr>"},
		{"| Till | Credentials |\n| --- | --- |\n| 1 | clerk / ", "walnut-harbor-velvet", " |\n"},
		{"client_secret: ", "68a60f08-bff7-4ea6-81ad-c31248790120", "\n"},
		{"redis-cli -a ", "walnut-harbor-velvet", " ping"},
		{"define('DB_PASSWORD', '", "meadow89", "');"},
	} {
		hits := Find([]byte(test.before + test.value + test.after))
		if len(hits) != 1 || hits[0].Known || hits[0].Start != len(test.before) || hits[0].End != len(test.before)+len(test.value) {
			t.Errorf("%s«%s»%s: %+v", test.before, test.value, test.after, hits)
		}
	}
}

// A name of a password beside something else makes no password of it.
func TestTextBesidePasswordsIsNoGuess(t *testing.T) {
	for _, text := range []string{
		"password: required\n", "| Password | string |\n", "Hasło: wymagane\n", "'password' => 'required|string|min:8',",
		"The password is wrong.\n", "The password is case-sensitive.\n", "for key in ('username', 'password', 'email'):",
		"aria-label=\"Password\" autocomplete=\"new-password\"", "The password to db-server-01 is in the vault.",
		"Reset the password with `tillctl user reset`.", "Write to `stdout` / `stderr`; sign every log.",
		"pass|raise|return", "Passwd *uint16", "password: form.value,\n", "password = raw_input\n", "| Auth | Password |\n| --- | --- |\n| basic | yes |\n",
		"Public key token is 7cec85d7bea7798e", "Log in as administrator with your company account.",
	} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%q: %+v", text, hits)
		}
	}
}
