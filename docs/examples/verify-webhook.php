<?php

const TOLERANCE_SECONDS = 300;

/** Throws unless $body (the raw bytes) was signed with $secret just now; gives the event. */
function verify_webhook(string $secret, array $headers, string $body): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new InvalidArgumentException('the timestamp is too far from now');
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
        }
    }
    throw new InvalidArgumentException('the signature does not fit');
}
