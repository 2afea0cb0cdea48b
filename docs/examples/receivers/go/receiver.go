// Receiver receives deliveries of a Trellis hook and refuses those that were not signed with its token.
//
// Run with: HOOK_TOKEN=the-token-of-the-hook PORT=4000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	maxBytes  = 8 << 20
)

// receiver holds the key, and the ids of what has been handled. A service keeps them in its database, longer than
// deliveries are retried.
type receiver struct {
	key     []byte
	mutex   sync.Mutex
	handled map[string]bool
}

func keyOf(token string) ([]byte, error) {
	if strings.HasPrefix(token, "whsec_") {
		return base64.StdEncoding.DecodeString(strings.TrimPrefix(token, "whsec_"))
	}
	return []byte(token), nil
}

func (r *receiver) isGenuine(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := mac.Sum(nil)
	// The header may list several signatures.
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		version, value, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(value)
		if version == "v1" && err == nil && hmac.Equal(given, expected) {
			return true
		}
	}
	return false
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if err != nil {
		http.Error(response, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	if !r.isGenuine(request.Header, body) {
		http.Error(response, "not signed with the token", http.StatusUnauthorized)
		return
	}
	id := request.Header.Get("webhook-id")
	r.mutex.Lock()
	defer r.mutex.Unlock()
	// A repetition is answered as a success, so that it is not sent once more.
	if !r.handled[id] {
		var event struct {
			Kind string `json:"object_kind"`
			Name string `json:"event_name"`
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(response, "no JSON", http.StatusBadRequest)
			return
		}
		if event.Kind == "" {
			event.Kind = event.Name
		}
		r.handled[id] = true
		fmt.Println(event.Kind, id)
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	key, err := keyOf(os.Getenv("HOOK_TOKEN"))
	if err != nil || len(key) == 0 {
		log.Fatal("HOOK_TOKEN is not set, or is not Base64 after whsec_")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{
		Handler:     &receiver{key: key, handled: map[string]bool{}},
		ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.Serve(listener))
}
