"""Receives deliveries of a Trellis hook and refuses those that were not signed with its token.

Run with: HOOK_TOKEN=the-token-of-the-hook PORT=4000 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
MAX_BYTES = 8 * 1024 * 1024
token = os.environ["HOOK_TOKEN"]
if token.startswith("whsec_"):
    key = base64.b64decode(token[len("whsec_"):])
else:
    key = token.encode()
if not key:
    raise SystemExit("HOOK_TOKEN is empty")

# Ids of what has been handled. A service keeps them in its database, longer than deliveries are retried.
handled = set()


def is_genuine(headers, body):
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # The header may list several signatures.
    return any(
        hmac.compare_digest(signature.encode(), f"v1,{expected}".encode())
        for signature in headers.get("webhook-signature", "").split(" ")
    )


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= MAX_BYTES:
            self.answer(413)
            return
        body = self.rfile.read(length)
        if not is_genuine(self.headers, body):
            self.answer(401)
            return
        delivery_id = self.headers["webhook-id"]
        # A repetition is answered as a success, so that it is not sent once more.
        if delivery_id not in handled:
            event = json.loads(body)
            print(event.get("object_kind") or event["event_name"], delivery_id, flush=True)
            handled.add(delivery_id)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        """Nothing but what is handled is printed."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
