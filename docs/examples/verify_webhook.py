import base64, hashlib, hmac, json, time

TOLERANCE_SECONDS = 300


def verify_webhook(secret: str, headers: dict, body: bytes):
    """Raises ValueError unless body (the raw bytes) was signed with secret just now; gives the event."""
    event_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise ValueError("the timestamp is too far from now")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{event_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = [part.removeprefix("v1,") for part in headers["webhook-signature"].split(" ") if part.startswith("v1,")]
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("the signature does not fit")
    return json.loads(body)
