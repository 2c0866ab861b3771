package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
)

// bufferBytes is how much is read at a time.
const bufferBytes = 64 << 10

// download is the download of one archive to a file.
type download struct {
	client   *Client
	resolved Resolved
	request  request
	to       *os.File
	note     func(validator string) // see Part

	hash      hash.Hash
	done      int64  // bytes in the file
	total     int64  // bytes the server announced for the whole, -1 when it did not
	validator string // for If-Range: what must not have changed to continue; "" means start again
	reported  int64  // done at the last report, -1 before the first
}

// Download writes the bytes of an archive to a file, from its beginning,
// whatever it held, and returns their SHA-256 ("sha256:" and hex digits) and
// number. When the connection breaks it continues where it stopped, if the server
// can do that and the bytes are still the same ones, otherwise it starts again: at
// most Options.Retries times. At most Limits.ArchiveBytes are written. Bytes that
// are not those of r.Digest are a *MismatchError; other errors are *Error. After
// an error the file holds whatever came.
func (c *Client) Download(ctx context.Context, r Resolved, to *os.File) (digest string, size int64, err error) {
	return c.Continue(ctx, r, to, Part{})
}

// Part is what an earlier download left in a file.
type Part struct {
	Validator string       // what the server said of the version; "" when nothing is known
	Note      func(string) // called with the validator as soon as it is known, and with "" when a new one begins; may be nil
}

// Continue is Download after one that was broken off, perhaps by another process: the
// bytes in the file are kept where the server has more of the same ones.
func (c *Client) Continue(ctx context.Context, r Resolved, to *os.File, part Part) (digest string, size int64, err error) {
	d := &download{client: c, resolved: r, to: to, note: part.Note, hash: sha256.New(), total: -1, reported: -1}
	if d.request, err = c.downloadRequest(r); err != nil {
		return "", 0, err
	}
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return "", 0, c.ended(ctx, &Error{Op: d.request.op, URL: redacted(d.request.url)})
	}
	if err := d.pickUp(part.Validator); err != nil {
		return "", 0, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	if err := c.tries(ctx, d.once); err != nil {
		return "", d.done, err
	}
	digest = digestPrefix + hex.EncodeToString(d.hash.Sum(nil))
	if r.Digest != "" && r.Digest != digest {
		return digest, d.done, &MismatchError{URL: redacted(d.request.url), Want: r.Digest, Got: digest}
	}
	return digest, d.done, nil
}

// downloadRequest checks what is to be downloaded.
func (c *Client) downloadRequest(r Resolved) (request, error) {
	op := "download " + cmp.Or(plain(r.Name, maxQuoted), "archive")
	u, err := c.parse(op, r.URL)
	if err != nil {
		return request{}, err
	}
	q := request{op: op, url: u, accept: "*/*"}
	switch r.Source {
	case SourceGitHub:
		q.service, err = c.github()
	case SourceGitLab:
		q.service, err = c.gitlab()
	case SourceOCI:
		q.service = c.registryAt(u)
	default:
		q.service, err = c.siteAt(op, u)
	}
	if err == nil && r.Digest != "" && !isDigest(r.Digest) {
		err = &Error{Op: op, URL: redacted(u), Rule: ruleContent, What: fmt.Sprintf("%q is not a SHA-256 digest", plain(r.Digest, 100))}
	}
	return q, err
}

func (d *download) fail(rule, what, hint string) *Error {
	return &Error{Op: d.request.op, URL: redacted(d.request.url), Rule: rule, What: what, Hint: hint}
}

// pickUp takes over what is in the file, when the server can be asked for the rest.
func (d *download) pickUp(known string) error {
	if known == "" && d.resolved.Source != SourceOCI {
		return d.restart()
	}
	size, err := d.to.Seek(0, io.SeekStart)
	if err == nil {
		size, err = io.Copy(d.hash, d.to)
	}
	if err != nil {
		return d.unwritten(err)
	}
	if most := d.mustBe(); most > 0 && size >= most || size > d.client.options.Limits.ArchiveBytes {
		return d.restart() // it holds something else
	}
	d.done, d.validator = size, known
	return nil
}

// restart empties the file.
func (d *download) restart() error {
	d.remember("")
	d.hash.Reset()
	d.done, d.total, d.validator = 0, -1, ""
	if _, err := d.to.Seek(0, io.SeekStart); err != nil {
		return d.unwritten(err)
	}
	if err := d.to.Truncate(0); err != nil {
		return d.unwritten(err)
	}
	return nil
}

func (d *download) unwritten(err error) error {
	e := d.fail(ruleWrite, "the file cannot be written: "+plain(err.Error(), maxQuoted), "free some space on the disk")
	e.Err = err
	return e
}

// once asks for what is missing and takes what comes.
func (d *download) once(ctx context.Context) error {
	r := d.request
	from := d.done
	if from > 0 && (d.validator != "" || d.resolved.Source == SourceOCI) {
		r.header = http.Header{"Range": {fmt.Sprintf("bytes=%d-", from)}} // what a digest names never changes
		if d.validator != "" {
			r.header.Set("If-Range", d.validator)
		}
	}
	res, err := d.client.exchange(ctx, r)
	if err != nil {
		return err
	}
	switch {
	case res.status == http.StatusOK:
		err = d.begin(res)
	case res.status == http.StatusPartialContent && r.header != nil:
		err = d.resume(res, from)
	case res.status == http.StatusRequestedRangeNotSatisfiable && r.header != nil:
		err = d.again("the answer ended early") // there is nothing after what came
	default:
		return d.client.refused(r, res)
	}
	defer res.body.Close()
	if err == nil {
		err = d.take(ctx, res)
	}
	return err
}

// again drops what came and asks for another try.
func (d *download) again(what string) error {
	if err := d.restart(); err != nil {
		return err
	}
	e := d.fail(ruleTruncated, what, "try again later")
	e.again = true
	return e
}

// begin takes an answer that holds everything.
func (d *download) begin(res *response) error {
	if err := d.restart(); err != nil {
		return err
	}
	if d.isWebPage(res) {
		return d.fail(ruleContent, "a web page came, not an archive", "check the address; a login page may be in the way")
	}
	d.total = res.length
	if res.header.Get("Accept-Ranges") != "none" {
		d.validator = validator(res.header)
		d.remember(d.validator)
	}
	return d.checkTotal()
}

// remember notes the validator for a later process.
func (d *download) remember(validator string) {
	if d.note != nil {
		d.note(validator)
	}
}

// isWebPage reports a page where an archive should be: servers that want a login
// often answer so instead of with an error. Other files than archives may be pages.
func (d *download) isWebPage(res *response) bool {
	kind, _, _ := strings.Cut(res.header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/html") && (d.request.service != nil && !d.request.service.site || isArchive(d.request.url.Path))
}

// resume takes an answer that continues where the last one stopped.
func (d *download) resume(res *response, from int64) error {
	first, total, ok := contentRange(res.header.Get("Content-Range"))
	switch {
	case !ok, first != from, d.total >= 0 && total >= 0 && total != d.total:
		return d.again("the server continued at another place")
	case res.length >= 0 && total >= 0 && from+res.length != total:
		return d.again("the server announced two lengths")
	case d.validator != "" && validator(res.header) != "" && validator(res.header) != d.validator:
		return d.again("the file changed on the server")
	}
	if d.total < 0 {
		d.total = total
	}
	return d.checkTotal()
}

// checkTotal refuses a wrong length before its bytes come.
func (d *download) checkTotal() error {
	limit := d.client.options.Limits.ArchiveBytes
	switch {
	case d.total > limit:
		return d.tooLarge()
	case d.total >= 0 && d.mustBe() > 0 && d.total != d.mustBe():
		return d.fail(ruleTruncated, fmt.Sprintf("the server has %d bytes, its manifest says %d", d.total, d.mustBe()), "try again later: the site may be changing")
	}
	return nil
}

func (d *download) tooLarge() error {
	return d.fail(RuleTooLarge, fmt.Sprintf("the archive is larger than %s", bytesize.Text(d.client.options.Limits.ArchiveBytes)), "raise pull.archive_bytes in packgen.yaml")
}

// mustBe is the size that is known to be exact, 0 when none is.
func (d *download) mustBe() int64 {
	if d.resolved.Source == SourceSite || d.resolved.Source == SourceOCI {
		return d.resolved.Size
	}
	return 0
}

// take copies a body to the file, counting what really comes.
func (d *download) take(ctx context.Context, res *response) error {
	buffer := make([]byte, bufferBytes)
	for {
		n, err := res.body.Read(buffer)
		if n > 0 {
			if d.done+int64(n) > d.client.options.Limits.ArchiveBytes {
				return d.tooLarge()
			}
			if _, err := d.to.Write(buffer[:n]); err != nil {
				return d.unwritten(err)
			}
			d.hash.Write(buffer[:n])
			d.done += int64(n)
			d.report(false)
		}
		if err == io.EOF {
			return d.end()
		}
		if err != nil {
			return d.client.broken(ctx, d.request.op, d.request.url, err)
		}
	}
}

// end checks the number of bytes when the server says that was all.
func (d *download) end() error {
	want := d.total
	if want < 0 && d.mustBe() > 0 {
		want = d.mustBe()
	}
	if want >= 0 && d.done != want {
		e := d.fail(ruleTruncated, fmt.Sprintf("%d bytes came, %d were announced", d.done, want), "try again later")
		e.again = true
		return e
	}
	d.report(true)
	return nil
}

// report calls Options.Progress at most every progressStep bytes, and at the end.
func (d *download) report(last bool) {
	progress := d.client.options.Progress
	if progress == nil || !last && d.reported >= 0 && d.done-d.reported < progressStep && d.done >= d.reported {
		return
	}
	d.reported = d.done
	total := d.total
	if total < 0 && d.resolved.Size > 0 {
		total = d.resolved.Size
	}
	progress(Progress{Name: d.resolved.Name, URL: redacted(d.request.url), Done: d.done, Total: total})
}

// validator returns what distinguishes versions of a file for If-Range:
// a strong entity tag, otherwise the date of the last change, otherwise "". It is sent
// back, so it must be short and plain.
func validator(header http.Header) string {
	tag := header.Get("Etag")
	switch {
	case len(tag) > 256, strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r > '~' }):
		return ""
	case tag != "" && !strings.HasPrefix(tag, `"`):
		return "" // weak, or not an entity tag
	case tag != "":
		return tag
	}
	date := header.Get("Last-Modified")
	if _, err := http.ParseTime(date); err != nil {
		return ""
	}
	return date
}

// contentRange reads "bytes FIRST-LAST/TOTAL"; total is -1 when it is "*".
func contentRange(value string) (first, total int64, ok bool) {
	rest, ok := strings.CutPrefix(value, "bytes ")
	span, size, found := strings.Cut(rest, "/")
	low, high, dash := strings.Cut(span, "-")
	if !ok || !found || !dash {
		return 0, 0, false
	}
	first, err := number(low)
	last, err2 := number(high)
	if err != nil || err2 != nil || last < first {
		return 0, 0, false
	}
	if size == "*" {
		return first, -1, true
	}
	total, err = number(size)
	return first, total, err == nil && last < total
}

// number reads decimal digits, nothing else.
func number(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}
