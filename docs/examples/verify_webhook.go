package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

// Verify returns an error unless body (the raw bytes) was signed with secret just now.
func Verify(secret string, header http.Header, body []byte) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("the timestamp is not a number")
	}
	if away := time.Since(time.Unix(seconds, 0)); away > tolerance || away < -tolerance {
		return errors.New("the timestamp is too far from now")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, part := range strings.Split(header.Get("webhook-signature"), " ") {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(part, "v1,"))
		if err == nil && strings.HasPrefix(part, "v1,") && hmac.Equal(given, expected) {
			return nil
		}
	}
	return errors.New("the signature does not fit")
}
